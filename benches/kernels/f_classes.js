// Classes with inheritance and accessors: 100,000 method calls.
class Shape {
  constructor(name) {
    this.name = name;
    this.visits = 0;
  }
  visit() {
    this.visits++;
    return this.area();
  }
  area() {
    return 0;
  }
}
class Rectangle extends Shape {
  constructor(width, height) {
    super("rectangle");
    this.width = width;
    this.height = height;
  }
  area() {
    return this.width * this.height;
  }
}
class Circle extends Shape {
  #radius;
  constructor(radius) {
    super("circle");
    this.#radius = radius;
  }
  get radius() {
    return this.#radius;
  }
  area() {
    return 3 * this.radius * this.radius;
  }
}

export function kernel() {
  const shapes = [];
  for (let i = 0; i < 100; i++) shapes.push(i % 2 === 0 ? new Rectangle(i, i + 1) : new Circle(i));
  let sum = 0;
  for (let round = 0; round < 1_000; round++) {
    for (let i = 0; i < shapes.length; i++) sum = (sum + shapes[i].visit()) % 1_000_003;
  }
  return sum + shapes[7].visits;
}
