/** Milliseconds that a browser may need before it reads the text to save. */
const patience = 2000;

/** Makes the browser save a text as a file. */
export function downloadText(text: string, fileName: string, type = 'application/yaml'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, patience);
}
