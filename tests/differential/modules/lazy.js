export const lazyValue = "lazy"; export default 7;
