/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import { aDeployment, aPod } from 'rx-informers/testing';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage, type ShownPage } from './support/shown-page.js';

const cluster = [
  aPod({ name: 'worker-1', namespace: 'shop', labels: { component: 'worker' } }),
  aPod({ name: 'web-1', namespace: 'shop', labels: { component: 'web' } }),
  aDeployment({ name: 'worker', namespace: 'shop', labels: { component: 'worker' } }),
];

const field = (): Promise<HTMLElement> => screen.findByRole('searchbox', { name: /^Filter by/ });
const heading = (): string => screen.getByRole('heading', { level: 2, name: /^(Pods|Logs|Timeline)/ }).textContent;

async function palette({ page, eventually }: ShownPage, typed: string): Promise<void> {
  page.run(() => fireEvent.keyDown(document.body, { key: '/' }));
  const input = (): HTMLElement => screen.getByRole('combobox', { name: /^Go to/ });
  await eventually(() => expect(input()).toBeTruthy());
  page.run(() => fireEvent.change(input(), { target: { value: typed } }));
}

const listed = (): readonly HTMLElement[] =>
  within(screen.getByRole('listbox', { name: 'Places' })).getAllByRole('option');
const options = (): readonly string[] => listed().map(({ textContent }) => textContent);

const copied: string[] = [];
let isPermitted = true;

beforeAll(() => {
  addWhatJsdomLacks(600);
  const writeText = async (text: string): Promise<void> => {
    if (!isPermitted) throw new Error('not permitted');
    copied.push(text);
  };
  Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
});

beforeEach(() => {
  copied.length = 0;
  isPermitted = true;
});

describe('labels that are typed as for kubectl', () => {
  it('filter the pods, and the address keeps them', async () => {
    const { eventually } = await showPage('/', cluster);
    fireEvent.change(await field(), { target: { value: 'component in (worker)' } });
    await eventually(() => expect(heading()).toBe('Pods 1'));
    expect(new URLSearchParams(location.search).get('text')).toBe('component in (worker)');
    expect(screen.getByRole('link', { name: /worker-1/ })).toBeTruthy();
  });

  it('filter nothing away if they are invalid, and the page says why', async () => {
    const { eventually } = await showPage('/?text=component+in+(worker', cluster);
    await eventually(() => expect(heading()).toBe('Pods 2'));
    const input = await field();
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(
      /^invalid label selector .*Nothing is filtered by it\.$/,
    );
  });

  it('find objects in the palette, and filter the page from there', async () => {
    const shown = await showPage('/', cluster);
    await shown.eventually(() => expect(heading()).toBe('Pods 2'));
    await palette(shown, 'component=worker');
    await shown.eventually(() => expect(options()).toEqual(['Filterlabels component=worker', 'Podworker-1shop']));
    shown.page.run(() => fireEvent.click(listed()[0] as Element));
    await shown.eventually(() => expect(heading()).toBe('Pods 1'));
    expect(location.search).toBe('?text=component%3Dworker');
  });

  it('that are invalid are explained in the palette', async () => {
    const shown = await showPage('/', cluster);
    await palette(shown, 'component in (');
    await shown.eventually(() =>
      expect(screen.getByText(/^invalid label selector/).getAttribute('role')).toBe('status'),
    );
  });
});

describe('the kubectl command', () => {
  const notice = (): string | undefined => document.querySelector('.copied')?.textContent;
  const press = ({ page }: ShownPage): void => {
    page.run(() => fireEvent.keyDown(document.body, { key: 'c' }));
  };

  it('is copied with the key c, and the page shows what it has copied', async () => {
    const shown = await showPage('/?open=v1/pods:shop/web-1', cluster);
    press(shown);
    await shown.eventually(() => expect(notice()).toBe('Copied: kubectl -n shop get pod web-1 -o yaml'));
    expect(copied).toEqual(['kubectl -n shop get pod web-1 -o yaml']);
  });

  it('is copied from the palette, too, without the parts that it cannot express', async () => {
    const shown = await showPage('/?text=web', cluster);
    await palette(shown, 'kubectl');
    shown.page.run(() => fireEvent.click(screen.getByRole('option', { name: /Copy the kubectl command/ })));
    await shown.eventually(() => expect(notice()).toBe('Copied: kubectl get pods -A kubectl cannot express: words.'));
  });

  it('is shown if the browser does not permit to copy it', async () => {
    isPermitted = false;
    const shown = await showPage('/', cluster);
    press(shown);
    await shown.eventually(() => expect(notice()).toBe('The browser does not permit to copy: kubectl get pods -A'));
  });
});
