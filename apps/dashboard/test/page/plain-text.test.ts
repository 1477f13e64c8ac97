import { plainText, sizeText } from '../../page/text/text.js';

describe('text from objects', () => {
  it('plainText truncates a long text after 300 characters', () => {
    expect(plainText('x'.repeat(1_000_000)).length).toBe(301);
  });

  it('shows escape codes for characters that are invisible or change the text direction', () => {
    expect(plainText('a\u202eb\nc\u2066d')).toBe('a\\u202eb\\u000ac\\u2066d');
  });

  it('keeps markup as text, and letters of all languages', () => {
    const text = '<img src=x onerror=alert(1)> שלום ドッグ';
    expect(plainText(text)).toBe(text);
  });

  it('shows its size in readable units', () => {
    expect([sizeText(999), sizeText(1000), sizeText(10_000_000)]).toEqual(['999', '1.0 k', '10.0 M']);
  });
});
