console.log("side effect"); globalThis.sideEffect = true;
