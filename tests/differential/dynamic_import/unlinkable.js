import { nothing } from "./leaf.js";
nothing;
