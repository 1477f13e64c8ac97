import { configMaps, type ConfigMap } from 'rx-informers';
import { collectionHistory, readPast, recordPast, type CollectionHistory } from 'rx-informers/history';
import { aConfigMap } from 'rx-informers/testing';
import { loadListWatch, scene, type Followed, type Page, type Scene, type SceneOptions } from './support/scene.js';

beforeAll(loadListWatch);

const size = 1_000_000;

function recordedScene(options: SceneOptions = {}): Scene {
  return scene({ past: recordPast({ for: 3_600_000 }), ...options });
}

interface Reader extends Followed {
  readonly page: Page;
  readonly recorded: CollectionHistory<ConfigMap>;
  /** Reads what the worker recorded before this page was opened, and returns the texts. */
  readonly read: () => readonly string[];
}

function reader(made: Scene, page = made.page()): Reader {
  const followed = page.follow();
  const recorded = collectionHistory(followed.informer, { for: 3_600_000 });
  return {
    ...followed,
    page,
    recorded,
    read: () => {
      const texts: string[] = [];
      const before = (recorded.oldest?.time ?? made.clock.now()) + 250;
      page.shared.past(configMaps, { before, size }).subscribe((text) => {
        texts.push(text);
        readPast(recorded, text);
      });
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

const textAt = ({ recorded }: Reader, time: number): string | undefined =>
  recorded.at(time).get('default/a')?.data?.['text'];

describe('the past in a shared worker', () => {
  it('is read by a page that was opened later, and is the same for all pages', () => {
    const made = recordedScene();
    const first = reader(made);
    const times = ['one', 'two', 'three'].map((text) => write(made, text));
    const second = reader(made);
    made.clock.advance(100);
    expect(times.map((time) => textAt(second, time))).toEqual(['three', 'three', 'three']);
    second.read();
    for (const each of [first, second])
      expect(times.map((time) => textAt(each, time))).toEqual(['one', 'two', 'three']);
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
    after.read();
    expect(times.map((time) => textAt(after, time))).toEqual(['one', 'two']);
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
    write(made, 'of alice');
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
