import { tabHidden$ } from 'rx-informers/views';

/** A document that a test hides and shows, and that counts its listeners. */
class FakeDocument extends EventTarget {
  visibilityState = 'visible';
  listeners = 0;

  override addEventListener(type: string, listener: () => void): void {
    this.listeners++;
    super.addEventListener(type, listener);
  }

  override removeEventListener(type: string, listener: () => void): void {
    this.listeners--;
    super.removeEventListener(type, listener);
  }

  become(state: string): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

const page = globalThis as { document?: unknown };

describe('tabHidden$', () => {
  afterEach(() => {
    delete page.document;
  });

  it('says how it is, and whenever that changes, and leaves no listener behind (G8)', () => {
    const document = new FakeDocument();
    const seen: boolean[] = [];
    const subscription = tabHidden$(document).subscribe((isHidden) => seen.push(isHidden));
    document.become('hidden');
    document.become('hidden');
    document.become('prerender');
    expect(document.listeners).toBe(1);
    subscription.unsubscribe();
    document.become('hidden');
    expect([seen, document.listeners]).toEqual([[false, true, false], 0]);
  });

  it('begins with hidden for a page that is opened in the background', () => {
    const document = new FakeDocument();
    document.visibilityState = 'hidden';
    const seen: boolean[] = [];
    tabHidden$(document).subscribe((isHidden) => seen.push(isHidden));
    expect(seen).toEqual([true]);
  });

  it("takes the page's own document, as it is when it is subscribed to", () => {
    const hidden$ = tabHidden$();
    page.document = Object.assign(new FakeDocument(), { visibilityState: 'hidden' });
    const seen: unknown[] = [];
    hidden$.subscribe((isHidden) => seen.push(isHidden)).unsubscribe();
    expect(seen).toEqual([true]);
  });

  it('says false and completes where there is no document', () => {
    const seen: unknown[] = [];
    tabHidden$().subscribe({ next: (isHidden) => seen.push(isHidden), complete: () => seen.push('complete') });
    expect(seen).toEqual([false, 'complete']);
  });
});
