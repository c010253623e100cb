export default class { hi() { return "hi"; } } export const meta = typeof import.meta.url === "string" || typeof import.meta === "object";
