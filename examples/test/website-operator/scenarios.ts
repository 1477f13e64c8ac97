import { deployments } from 'rx-informers';
import { findCondition } from 'rx-informers/controller';
import { randomFromSeed } from 'rx-informers/testing';
import { seedOf } from '../../../test/support/seed.js';
import { websites, type WebsiteSpec } from '../../website-operator/website.js';
import { burst } from './burst.js';
import { describeCompleteness } from './complete-scenarios.js';
import type { OperatorForm } from './forms.js';
import { play, type Play } from './play.js';
import { eachOf, has, isReady, readyOf, reviewed, websiteIn } from './readings.js';
import type { Playhouse } from './stage.js';

/** Defines the tests of the guarantees for users of websites, at any API server. */
export function describeWebsiteOperator(playhouse: Playhouse, form: OperatorForm): void {
  describe(`the ${form.name}`, () => {
    let scenario: Play;
    beforeEach(async () => {
      scenario = await play(playhouse, form);
    });
    afterEach(() => scenario.close());
    const create = (name: string, spec: WebsiteSpec): Promise<void> =>
      scenario.stage.user.create(websites, name, { spec });
    const change = (name: string, spec: Partial<WebsiteSpec>): Promise<void> =>
      scenario.stage.user.patch(websites, name, { spec });

    it('creates a Deployment and a Service as specified, owned by the website', async () => {
      scenario.start();
      await create('shop', { image: 'nginx:1.29', replicas: 2, port: 8080 });

      const state = await scenario.settled(has('shop'));
      const { metadata } = websiteIn(state, 'shop');
      const owner = {
        apiVersion: 'example.com/v1',
        kind: 'Website',
        name: 'shop',
        uid: metadata.uid,
        controller: true,
      };
      const owned = { name: 'shop', ownerReferences: [{ ...owner, blockOwnerDeletion: true }] };
      expect(state.deployments).toMatchObject([
        {
          metadata: owned,
          spec: {
            replicas: 2,
            selector: { matchLabels: { 'app.kubernetes.io/name': 'shop' } },
            template: {
              metadata: { labels: { 'app.kubernetes.io/name': 'shop' } },
              spec: { containers: [{ image: 'nginx:1.29', ports: [{ containerPort: 8080 }] }] },
            },
          },
        },
      ]);
      expect(state.services).toMatchObject([
        {
          metadata: owned,
          spec: { selector: { 'app.kubernetes.io/name': 'shop' }, ports: [{ port: 80, targetPort: 'http' }] },
        },
      ]);
    });

    it('adopts objects that existed before it started', async () => {
      for (const name of ['a', 'b', 'c']) await create(name, { image: 'nginx' });
      scenario.start();
      expect((await scenario.settled(has('a', 'b', 'c'))).deployments).toHaveLength(3);
    });

    it('writes to the status the observed generation, and that the website is not ready yet', async () => {
      scenario.start();
      await create('shop', { image: 'nginx' });
      const { status } = websiteIn(await scenario.settled(has('shop')), 'shop');
      expect(status).toEqual({
        observedGeneration: 1,
        readyReplicas: 0,
        url: `http://shop.${scenario.stage.namespace}.svc`,
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'WaitingForReplicas',
            message: '0 of 1 replicas are ready',
            observedGeneration: 1,
            lastTransitionTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          },
        ],
      });
    });

    it('applies a change of the spec; the status has the new generation, and the transition time stays', async () => {
      scenario.start();
      await create('shop', { image: 'nginx:1.28' });
      const before = readyOf(await scenario.settled(has('shop')), 'shop');

      await change('shop', { image: 'nginx:1.29', replicas: 3 });
      const state = await scenario.settled();
      expect(state.deployments).toMatchObject([
        { spec: { replicas: 3, template: { spec: { containers: [{ image: 'nginx:1.29' }] } } } },
      ]);
      const { message, lastTransitionTime, observedGeneration } = readyOf(state, 'shop');
      expect({ message, lastTransitionTime, observedGeneration }).toEqual({
        message: '0 of 3 replicas are ready',
        lastTransitionTime: before.lastTransitionTime,
        observedGeneration: 2,
      });
    });

    it('is ready when its Deployment is, and waits again while that has not observed a new spec', async () => {
      scenario.start();
      await create('shop', { image: 'nginx', replicas: 2 });
      const deploymentController = scenario.stage.startDeployments();
      const ready = await scenario.settled(isReady('shop'));
      expect(readyOf(ready, 'shop')).toMatchObject({
        reason: 'AllReplicasReady',
        message: '2 of 2 replicas are ready',
      });

      deploymentController.unsubscribe();
      await change('shop', { image: 'nginx:1.29' });
      const waiting = await scenario.settled();
      expect(readyOf(waiting, 'shop')).toMatchObject({ status: 'False', message: '0 of 2 replicas are ready' });
    });

    it('restores what another client changed in the Deployment, and keeps what that client added', async () => {
      scenario.start();
      await create('shop', { image: 'nginx', replicas: 2 });
      await scenario.settled(has('shop'));

      const metadata = { labels: { 'example.com/team': 'blue' } };
      await scenario.stage.kubectl.patch(deployments, 'shop', { metadata, spec: { replicas: 7 } });
      const { deployments: found } = await scenario.settled();
      expect(found).toMatchObject([{ metadata: { ...metadata, generation: 3 }, spec: { replicas: 2 } }]);
    });

    it('recreates a Deployment that another client deleted', async () => {
      scenario.start();
      await create('shop', { image: 'nginx' });
      const before = await scenario.settled(has('shop'));
      await scenario.stage.kubectl.remove(deployments, 'shop');
      const after = await scenario.settled();
      expect(after.deployments[0]?.metadata.uid).not.toBe(before.deployments[0]?.metadata.uid);
    });

    it('keeps what another client writes into labels and status meanwhile', async () => {
      const { kubectl } = scenario.stage;
      scenario.start();
      scenario.stage.startDeployments();
      const names = ['a', 'b', 'c'];
      await eachOf(names, async (name) => {
        await create(name, { image: 'nginx' });
        for (const round of ['1', '2', '3']) {
          await change(name, { replicas: Number(round) });
          await kubectl.patch(websites, name, { metadata: { labels: { round } } });
          await kubectl.applyStatus(websites, name, { conditions: [reviewed(round)] });
        }
      });

      const state = await scenario.settled((now) => names.every((name) => isReady(name)(now)));
      for (const website of state.websites) {
        expect(website.metadata.labels).toEqual({ round: '3' });
        expect(website.status?.readyReplicas).toBe(3);
        expect(findCondition(website.status?.conditions, 'Reviewed')).toEqual(reviewed('3'));
      }
    });

    it('cleans up the objects of a deleted website', async () => {
      scenario.start();
      for (const name of ['shop', 'blog']) await create(name, { image: 'nginx' });
      await scenario.settled(has('shop', 'blog'));
      await scenario.stage.user.remove(websites, 'shop');
      const { websites: left } = await scenario.settled(({ websites: { length } }) => length === 1);
      expect(left.map(({ metadata }) => metadata.name)).toEqual(['blog']);
    });

    it('creates all dependents of a website that replaces a deleted one', async () => {
      scenario.start();
      await create('shop', { image: 'nginx:1.28' });
      const before = websiteIn(await scenario.settled(has('shop')), 'shop');
      await scenario.stage.user.remove(websites, 'shop');
      await scenario.settled(({ websites: { length } }) => length === 0);

      await create('shop', { image: 'nginx:1.29' });
      const after = await scenario.settled(has('shop'));
      expect(websiteIn(after, 'shop').metadata.uid).not.toBe(before.metadata.uid);
    });

    it('brings the cluster to the specified state after a burst of concurrent random writes with conflicts', async () => {
      scenario.start();
      scenario.stage.startDeployments();
      const written = await burst(scenario.stage, {
        random: randomFromSeed(seedOf(`burst of ${form.name}`)),
        form,
        writes: 100,
      });
      const state = await scenario.settled();
      expect(state.websites.map(({ metadata }) => metadata.name)).toEqual(written);
    });

    if (form.isComplete) describeCompleteness(playhouse, () => scenario);
    const { restart } = playhouse;
    if (restart !== undefined) {
      it('continues when the server is restarted in the middle', async () => {
        scenario.start();
        const names = Array.from({ length: 10 }, (_, index) => `site-${index}`);
        await eachOf(names, (name) => create(name, { image: 'nginx' }));
        await restart();
        await change('site-0', { replicas: 5 });
        await scenario.stage.user.remove(websites, 'site-1');
        await create('late', { image: 'nginx' });
        const state = await scenario.settled(({ websites: { length } }) => length === 10);
        expect(state.deployments.find(({ metadata }) => metadata.name === 'site-0')?.spec?.replicas).toBe(5);
      });
    }
  });
}
