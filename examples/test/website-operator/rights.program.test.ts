import { readFileSync } from 'node:fs';
import { configMaps } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { recordRights, serverFaults, usersOf, type PolicyRule, type RecordedRights } from 'rx-informers/testing';
import { parseAllDocuments } from 'yaml';
import { virtualCluster } from './virtual-cluster.js';

const manifest = readFileSync('examples/website-operator/rbac.yaml', 'utf8');
const [role] = parseAllDocuments(manifest).map((document) => document.toJS() as ClusterRole);
const rights = (rules: readonly PolicyRule[]): readonly string[] =>
  rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} ${group}`)),
      ),
    )
    .sort();

interface ClusterRole {
  readonly rules: readonly PolicyRule[];
}

/** Returns the role without one of its verbs on one resource. */
function roleWithout(rule: PolicyRule, verb: string): ClusterRole {
  const rules = role?.rules.map((each) =>
    each === rule ? { ...each, verbs: each.verbs.filter((other) => other !== verb) } : each,
  );
  return { ...role, kind: 'ClusterRole', rules: rules ?? [] } as ClusterRole;
}

/**
 * Lets two replicas of the operator create, change and delete websites, with the rights of a role,
 * with a conflict and with a takeover. First at a server with streaming lists, then at one without.
 */
function rightsOfSuite(granted: string | object): readonly RecordedRights[] {
  const [user] = Object.values(usersOf(granted));
  if (user === undefined) throw new Error('the manifest has no role');
  const recordings: RecordedRights[] = [];
  for (const watchList of [true, false]) {
    if (missingIn(recordings).length > 0) break;
    const cluster = virtualCluster({ users: { operator: user }, watchList }, (server) => {
      const recorded = recordRights(server.clientFor('operator'));
      recordings.push(recorded);
      return recorded.client;
    });
    play(cluster, () => missingIn(recordings).length > 0);
  }
  return recordings;
}

const missingIn = (recordings: readonly RecordedRights[]) => recordings.flatMap((recorded) => recorded.missing());

/** Plays the steps, until one shows that a right is missing. */
function play(cluster: ReturnType<typeof virtualCluster>, isMissing: () => boolean): void {
  const minute = 60_000;
  const first = cluster.replica('a');
  const second = cluster.replica('b');
  const deployments = cluster.startDeployments();
  const steps = [
    () => {
      cluster.create('shop');
      cluster.clock.advance(minute);
    },
    () => {
      // Another writer of the directory: the operator's next write conflicts.
      resourceClient(cluster.server.client, configMaps)
        .patch('default/website-directory', { data: { foreign: 'yes' } })
        .subscribe({ error: () => undefined });
      cluster.server.faults.next(
        ({ method, path }) => method === 'PATCH' && path.endsWith('/shop/status'),
        serverFaults.respond(409),
      );
      cluster.change('shop', { port: 8081 });
      cluster.create('broken', { image: 'no image' });
      // The operator repeats an Event after some minutes.
      cluster.clock.advance(10 * minute);
    },
    () => {
      first.kill();
      cluster.clock.advance(minute);
    },
    () => {
      cluster.remove('shop');
      cluster.clock.advance(minute);
    },
    () => {
      second.stop();
      cluster.clock.advance(minute);
    },
  ];
  for (const step of steps) {
    step();
    if (isMissing()) break;
  }
  deployments.unsubscribe();
  first.unsubscribe();
  second.unsubscribe();
}

describe('the rights of the website operator', () => {
  it('are those of its manifest: its requests need all of them, and no other', () => {
    for (const recorded of rightsOfSuite(manifest)) {
      expect(recorded.missing()).toEqual([]);
      expect(recorded.unused(manifest)).toEqual([]);
      expect(rights(recorded.rules())).toEqual(rights(role?.rules ?? []));
    }
    expect.assertions(6);
  });

  const cases = (role?.rules ?? []).flatMap((rule) =>
    rule.verbs.map((verb) => [verb, rule.resources.join(), rule] as const),
  );
  it.each(cases)('cannot lack %s of %s: the test fails with the line of YAML', (verb, _, rule) => {
    const missing = missingIn(rightsOfSuite(roleWithout(rule, verb))).join('\n');
    const group = rule.apiGroups[0] === '' ? "''" : rule.apiGroups[0];
    expect(missing).toContain(`apiGroups: [${group}], resources: [${rule.resources.join()}`);
    expect(missing).toContain(verb);
  });
});
