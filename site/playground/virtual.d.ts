declare module 'virtual:playground/library' {
  export const library: import('./host.js').Library;
}
