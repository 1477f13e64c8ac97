import { plainText } from '../../../../examples/dashboard/page/model/plain-text.js';
import { sizeText } from '../../../../examples/dashboard/page/model/size-text.js';

describe('text that others wrote', () => {
  it('plainText cuts a long text after 300 characters', () => {
    expect(plainText('x'.repeat(1_000_000)).length).toBe(301);
  });

  it('shows what could not be seen, or would turn around what stands beside it', () => {
    expect(plainText('a\u202eb\nc\u2066d')).toBe('a\\u202eb\\u000ac\\u2066d');
  });

  it('keeps markup as the text that it is, and letters of all languages', () => {
    const text = '<img src=x onerror=alert(1)> שלום ドッグ';
    expect(plainText(text)).toBe(text);
  });

  it('has a size in words', () => {
    expect([sizeText(999), sizeText(1000), sizeText(10_000_000)]).toEqual(['999', '1.0 k', '10.0 M']);
  });
});
