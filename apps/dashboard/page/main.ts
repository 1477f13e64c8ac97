/*
 * Evaluates the page in parts, each in its own task, so that the browser can draw between them. The
 * build preloads these parts.
 */
await import('./react.js');
await nextTask();
const { startPage } = await import('./start.js');
await nextTask();
startPage();

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
