export const star1 = "star one"; export default "not through star"; const local = 2; export { local as star2 };
