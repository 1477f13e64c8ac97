import type { ChangeSet } from '../../store/change.js';

/**
 * What somebody holds who applies every change that he is told of, and who notices when he is told nonsense: the state twice, an addition of
 * what he has, an update of what he has not.
 */
export class Replica<T> {
  readonly held = new Map<string, T>();
  readonly complaints: string[] = [];
  isSynced = false;

  readonly apply = ({ reason, changes }: ChangeSet<T>): void => {
    if ((reason === 'initial') === this.isSynced) this.complaints.push(`${reason} at the wrong time`);
    this.isSynced = true;
    for (const change of changes) {
      const held = this.held.get(change.key);
      switch (change.type) {
        case 'added':
          if (held !== undefined) this.complaints.push(`added ${change.key} twice`);
          this.held.set(change.key, change.object);
          break;
        case 'updated':
          if (held !== change.previous) this.complaints.push(`updated ${change.key} from what is not held`);
          if (change.object === change.previous) this.complaints.push(`updated ${change.key} to itself`);
          this.held.set(change.key, change.object);
          break;
        case 'deleted':
          if (held === undefined) this.complaints.push(`deleted ${change.key}, which is not held`);
          this.held.delete(change.key);
      }
    }
  };
}
