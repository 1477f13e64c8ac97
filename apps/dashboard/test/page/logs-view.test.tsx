/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import { pods, type Pod } from 'rx-informers';
import { aPod, type PodLogLine } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { ringLimits } from '../../page/logs/followed-logs.js';
import './support/console-errors.js';
import { showPage, addWhatJsdomLacks, type ShownPage } from './support/shown-page.js';

interface Talking extends ShownPage {
  /** A pod writes lines to its log. */
  readonly say: (pod: string, ...texts: readonly string[]) => void;
  /** The same with one line, this many milliseconds after the first. */
  readonly sayAt: (after: number, pod: string, text: string) => void;
}

const start = Date.parse('2026-03-01T12:00:00Z');

/** The view of logs over pods that write the given lines. */
async function show(address: string, names: readonly string[]): Promise<Talking> {
  const written = new Subject<PodLogLine & { readonly pod: string }>();
  const shown = await showPage(address, names.map(web), {
    podLogs: ({ pod: { metadata } }) => {
      const lines$ = new Subject<PodLogLine>();
      written.subscribe(({ pod, ...line }) => {
        if (pod === metadata.name) lines$.next(line);
      });
      return { lines: [{ time: start, text: `${metadata.name} begins` }], lines$ };
    },
  });
  let time = start;
  await screen.findByRole('log');
  return {
    ...shown,
    sayAt: (after, pod, text) => {
      shown.page.run(() => {
        written.next({ pod, time: start + after, text });
      });
    },
    say: (pod, ...texts) => {
      shown.page.run(() => {
        for (const text of texts) written.next({ pod, time: ++time, text });
      });
    },
  };
}

function web(name: string): Pod {
  return aPod({ name, namespace: 'shop', node: 'n1' });
}

/** The lines that are drawn, each with the name of its pod. */
function lines(): readonly string[] {
  return [...screen.getByRole('log').querySelectorAll('.log-line')].map((line) =>
    [...line.children].map(({ textContent }) => textContent).join(' '),
  );
}

const click = ({ page }: ShownPage, name: string | RegExp): void => {
  page.run(() => {
    fireEvent.click(screen.getByRole('button', { name }));
  });
};

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the logs of several pods in the log view', () => {
  it('are merged in the order of their times, and followed', async () => {
    const shown = await show('/?view=logs&is.namespace=shop', ['web-1', 'web-2']);
    shown.server.apply(aPod({ name: 'other', namespace: 'blog', node: 'n1' }));
    await shown.eventually(() => expect(lines()).toEqual(['web-1 web-1 begins', 'web-2 web-2 begins']));
    // The connections differ in speed.
    shown.sayAt(2, 'web-1', 'two');
    shown.sayAt(1, 'web-2', 'one');
    shown.sayAt(3, 'web-2', 'three');
    await shown.eventually(() => expect(lines().slice(2)).toEqual(['web-2 one', 'web-1 two', 'web-2 three']));
    expect(screen.getByText('2 followed live')).toBeTruthy();
  });

  it('do not move while they are paused, show how many new lines there are, and then show them', async () => {
    const shown = await show('/?view=logs', ['web-1']);
    await shown.eventually(() => expect(lines()).toEqual(['web-1 web-1 begins']));
    click(shown, 'Pause');
    shown.say('web-1', 'one', 'two');
    await shown.eventually(() => expect(screen.getByRole('button', { name: 'Resume (2 new)' })).toBeTruthy());
    expect(lines()).toEqual(['web-1 web-1 begins']);
    click(shown, /^Resume/);
    expect(lines()).toEqual(['web-1 web-1 begins', 'web-1 one', 'web-1 two']);
  });

  it('are shown whole when they are read again, after Clear and after Pause', async () => {
    const shown = await show('/?view=logs', ['web-1']);
    const readAgain = (tail: string): void => {
      shown.page.run(() => {
        fireEvent.change(screen.getByRole('combobox', { name: 'Earlier lines' }), { target: { value: tail } });
      });
    };
    shown.say('web-1', 'one', 'two');
    await shown.eventually(() => expect(lines()).toHaveLength(3));
    click(shown, 'Clear');
    expect(lines()).toEqual([]);
    readAgain('100');
    await shown.eventually(() => expect(lines()).toContain('web-1 web-1 begins'));
    click(shown, 'Pause');
    readAgain('2000');
    shown.say('web-1', 'three');
    await shown.eventually(() => expect(lines()).toContain('web-1 three'));
    expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy();
  });

  it('mark search results, count them, can show only these, and keep both settings in the address', async () => {
    const shown = await show('/?view=logs', ['web-1']);
    shown.say('web-1', 'GET /cart 200', 'GET /cart 500', 'POST /pay 500');
    await shown.eventually(() => expect(lines()).toHaveLength(4));
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search in the logs' }), { target: { value: 'get' } });
    await shown.eventually(() => expect(screen.getByText('2 lines')).toBeTruthy());
    const marks = within(screen.getByRole('log')).getAllByText('GET');
    expect(marks.map(({ tagName }) => tagName)).toEqual(['MARK', 'MARK']);
    expect(lines()).toHaveLength(4);
    click(shown, 'Only matches');
    expect(lines()).toEqual(['web-1 GET /cart 200', 'web-1 GET /cart 500']);
    expect(location.search).toContain('logs.find=get');
    shown.say('web-1', 'PUT /cart', 'GET /');
    await shown.eventually(() => expect(lines().at(-1)).toBe('web-1 GET /'));
    expect(lines()).toHaveLength(3);
  });

  it('include a pod that joins, and keep the lines of one that leaves', async () => {
    const shown = await show('/?view=logs&is.namespace=shop', ['web-1']);
    await shown.eventually(() => expect(screen.getByText('1 followed live')).toBeTruthy());
    shown.server.apply(web('web-2'));
    await shown.eventually(() => expect(lines()).toEqual(['web-1 web-1 begins', 'web-2 web-2 begins']));
    expect(screen.getByText('2 followed live')).toBeTruthy();
    shown.server.remove(pods, 'web-1', 'shop');
    await shown.eventually(() => expect(screen.getByText('1 followed live')).toBeTruthy());
    shown.say('web-1', 'too late');
    shown.say('web-2', 'still here');
    await shown.eventually(() => expect(lines().at(-1)).toBe('web-2 still here'));
    expect(lines()[0]).toBe('web-1 web-1 begins');
    expect(lines()).not.toContain('web-1 too late');
  });

  it('are limited to the last lines, and the page shows how many it has dropped', async () => {
    const shown = await show('/?view=logs', ['web-1']);
    await shown.eventually(() => expect(lines()).toHaveLength(1));
    for (let round = 0; round < 3; round += 1) {
      shown.say('web-1', ...Array.from({ length: ringLimits.lines / 2 }, (_, at) => `line ${round}.${at}`));
      await shown.page.pass(200);
    }
    const kept = `The first ${ringLimits.lines / 2 + 1} lines were dropped: the page keeps the last ${ringLimits.lines}.`;
    await shown.eventually(() => expect(screen.getByText(kept)).toBeTruthy());
    expect(lines()[0]).toBe('web-1 line 1.0');
    expect(lines().length).toBeLessThan(100);
  });
});
