/** For how many milliseconds a browser may take to begin reading what it is to save. */
const patience = 2000;

/** Has the browser save a text as a file. */
export function downloadText(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, patience);
}
