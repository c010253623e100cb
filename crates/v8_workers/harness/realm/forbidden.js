// What only actions may use.

function forbid(code, description, caller) {
  const error = new Error(
    `Can't use ${description} in queries and mutations. Please consider using an action. See ` +
      "https://docs.convex.dev/functions/actions for more details.",
  );
  error.code = code;
  captureStackTrace(error, caller);
  return error;
}

function installForbidden() {
  define("fetch", function fetch() { throw forbid("NoFetchInQueriesOrMutations", "`fetch()`", fetch); });
  define("setTimeout", function setTimeout() {
    throw forbid("NoSleepInQueriesOrMutations", "`setTimeout`", setTimeout);
  });
  define("setInterval", function setInterval() {
    throw forbid("NoSleepInQueriesOrMutations", "`setInterval`", setInterval);
  });
  define("clearTimeout", function clearTimeout() {});
  define("clearInterval", function clearInterval() {});
}
