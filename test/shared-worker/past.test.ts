import { configMaps } from 'rx-informers';
import { collectionHistory } from 'rx-informers/history';
import type { ServeInformersOptions } from 'rx-informers/shared-worker';
import { aConfigMap } from 'rx-informers/testing';
import { loadListWatch, scene, type Followed, type Page, type Scene, type SceneOptions } from './support/scene.js';

beforeAll(loadListWatch);

const size = 1_000_000;

/** Records the texts of the object `a`, each with its time. */
const recordTexts: ServeInformersOptions['past'] = (collection) => {
  const history = collectionHistory(collection, { for: 3_600_000 });
  return {
    read: ({ before }) =>
      JSON.stringify(
        history.versions
          .filter(({ time }) => time < before)
          .map((version) => {
            const object = history.at(version).get('default/a') as { data?: { text?: string } } | undefined;
            return [version.time, object?.data?.text ?? 'none'];
          }),
      ),
    stop: () => {
      history.stop();
    },
  };
};

function recordedScene(options: SceneOptions = {}): Scene {
  return scene({ past: recordTexts, ...options });
}

interface Reader extends Followed {
  readonly page: Page;
  /** Requests what the worker recorded. Returns the texts of the answers, as they arrive. */
  readonly read: () => readonly string[];
}

function reader(made: Scene, page = made.page()): Reader {
  return {
    ...page.follow(),
    page,
    read: () => {
      const texts: string[] = [];
      page.shared.past(configMaps, { before: made.clock.now(), size }).subscribe((text) => texts.push(text));
      return texts;
    },
  };
}

/** Writes `text` to the object `a`, a second after the previous write. */
function write(made: Scene, text: string): number {
  made.clock.advance(1_000);
  made.server.apply(aConfigMap({ name: 'a', data: { text } }));
  made.clock.advance(1_000);
  return made.clock.now() - 500;
}

/** The text of the object at each time, as a page reads it. */
function textsAt(read: Reader, times: readonly number[]): readonly (string | undefined)[] {
  const versions = JSON.parse(read.read().join()) as readonly (readonly [time: number, text: string])[];
  return times.map((time) => versions.findLast(([begin]) => begin <= time)?.[1]);
}

describe('the past in a shared worker', () => {
  it('is read by a page that was opened later, and is the same for all pages', () => {
    const made = recordedScene();
    const first = reader(made);
    const times = ['one', 'two', 'three'].map((text) => write(made, text));
    const second = reader(made);
    made.clock.advance(100);
    for (const each of [first, second]) expect(textsAt(each, times)).toEqual(['one', 'two', 'three']);
    expect(made.requests).toHaveLength(2);
  });

  it('survives a reload: the only page leaves, and comes back within `linger`', () => {
    const made = recordedScene();
    const before = reader(made);
    const times = ['one', 'two'].map((text) => write(made, text));
    before.stop();
    made.clock.advance(4_000);
    const after = reader(made);
    made.clock.advance(100);
    expect(textsAt(after, times)).toEqual(['one', 'two']);
    after.stop();
    made.clock.advance(10_000);
    expect([made.worker.informers, made.clock.timers]).toEqual([0, 0]);
    expect(reader(made).read().join()).not.toContain('one');
  });

  it('is empty without `past`, for an object that is not read, and in a page with its own connection', () => {
    const none = reader(scene());
    const own = reader(recordedScene({ refusal: new Error('no workers here') }));
    const other: string[] = [];
    const { page } = reader(recordedScene());
    page.shared.past(configMaps, { namespace: 'other', before: 1e12, size }).subscribe((text) => other.push(text));
    expect([none.read(), own.read(), other]).toEqual([[''], [''], ['']]);
  });

  it('is not readable for a page with another identity: the worker has dropped it', () => {
    const made = recordedScene();
    const ofAlice = reader(made, made.page({ identity: 'alice' }));
    for (const text of ['of alice', 'now']) write(made, text);
    const ofBob = reader(made, made.page({ identity: 'bob' }));
    made.clock.advance(100);
    const texts = ofBob.read();
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toContain('alice');
    expect(ofAlice.page.shared.connection.state).toBe('own');
    expect(ofAlice.read()).toEqual(['']);
  });

  it('is requested again from the next worker if the worker is lost', () => {
    const made = recordedScene();
    const page = reader(made);
    write(made, 'one');
    page.page.channel.hold();
    const texts = page.read();
    expect(texts).toEqual([]);
    made.crash();
    made.clock.advance(20_000);
    expect(texts).toHaveLength(1);
  });
});
