console.log('a');
Promise.resolve().then(() => console.log('a micro')).then(() => console.log('a micro 2'));
