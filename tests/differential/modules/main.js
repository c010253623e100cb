// ES modules: cycles, live bindings, re-exports, namespaces, default exports, hoisting across cycles.
import def, { named as renamed, count, increment, Base } from "./values.js";
import * as values from "./values.js";
import { reA, "string name" as stringName, star1, ns } from "./reexport.js";
import defaultFn from "./default_function.js";
import anonymousClass, { meta } from "./default_class.js";
import { even, fromB } from "./cycle_a.js";
import "./side_effect.js";
export { later as exportedLater }; export let later = "set at once"; export * from "./values.js"; export default class extends Base { kind() { return "derived " + super.kind(); } }
console.log(def, renamed, count); increment(); increment(); console.log(count, values.count, values.default);
console.log(Object.keys(values).join(), values[Symbol.toStringTag], typeof values, "named" in values, values.missing, Object.isFrozen(values), Object.isSealed(values));
console.log(reA, stringName, star1, ns.named, ns === values, defaultFn(), defaultFn.name, anonymousClass.name, new anonymousClass().hi(), meta);
console.log(even(10), even(7), fromB());
try { count = 5; } catch (e) { console.log(e.name, e.message); } try { values.count = 5; } catch (e) { console.log(e.name); } try { delete values.count; } catch (e) { console.log(e.name); }
console.log(new (await0())().kind(), this === undefined); function await0() { return Base; }
console.log(typeof import.meta, "end of main");
