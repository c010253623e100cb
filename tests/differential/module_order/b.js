console.log('b');
export let done = false;
(async () => { await null; console.log('b async'); done = true; await null; console.log('b async 2'); })();
