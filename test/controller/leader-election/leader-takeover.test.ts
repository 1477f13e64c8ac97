import { serverFaults } from 'rx-informers/testing';
import { skewed } from './support/skewed-clock.js';
import { world } from './support/election.js';

describe('leader$, with several replicas', () => {
  it('L3: no replica leads until the lease of a killed leader expires; then another one does, in bounded time', () => {
    const { candidate, clock, lines, lease } = world();
    const a = candidate('a');
    candidate('b');
    clock.advance(7_000);
    a.kill();
    // The last renewal was at 6 s, and b saw it at 6.4 s; it looks each 3.2 s.
    clock.advance(60_000);
    expect(lines).toEqual(['0 a standby', '0 a leading', '0 b standby', '0 b standby of a', '22400 b leading']);
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('L6: another replica leads with its next attempt after the leader left in an orderly way', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    candidate('b');
    clock.advance(7_000);
    a.stop();
    clock.advance(3_000);
    expect(lines.slice(4)).toEqual(['9600 b standby', '9600 b leading']);
  });

  it('of three, one takes over, and the other one sees it', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    const b = candidate('b', { random: () => 0.1 });
    const c = candidate('c', { random: () => 0.9 });
    a.kill();
    clock.advance(60_000);
    expect([b.isLeading, c.isLeading]).toEqual([true, false]);
    expect(lines.slice(-2)).toEqual(['15680 b leading', '16640 c standby of b']);
  });

  it('of two that want a free lease at once, one leads, and the other one is on standby without an error', () => {
    const { candidate, clock, put, lines } = world();
    put({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    candidate('a');
    candidate('b');
    clock.advance(20_000);
    expect(lines).toEqual([
      '0 a standby',
      '0 a standby of x',
      '0 b standby',
      '0 b standby of x',
      '16000 a leading',
      '16000 b standby of a',
    ]);
  });

  it.each([3_600_000, -3_600_000])('L3: clocks that are %p ms apart make no difference', (offset) => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    candidate('b', { scheduler: skewed(clock, () => offset) });
    clock.advance(7_000);
    a.kill();
    clock.advance(60_000);
    expect(lines.slice(4)).toEqual(['22400 b leading']);
  });

  it.each([3_600_000, -3_600_000])(
    '▲ a clock that is set by %p ms on standby takes over neither sooner nor later',
    (jump) => {
      const { candidate, clock, lines } = world();
      let offset = 0;
      const a = candidate('a');
      candidate('b', { scheduler: skewed(clock, () => offset) });
      clock.advance(7_000);
      a.kill();
      offset = jump;
      clock.advance(60_000);
      expect(lines.slice(4)).toEqual(['22400 b leading']);
    },
  );

  it('▲ a leader whose clock is set back stops at its deadline all the same', () => {
    const { candidate, clock, lines } = world();
    let offset = 0;
    const a = candidate('a', { scheduler: skewed(clock, () => offset) });
    clock.advance(3_000);
    a.network.isDown = true;
    offset = -3_600_000;
    clock.advance(20_000);
    expect(lines).toContain('12000 a lost by RenewDeadlineError');
  });

  it('▲ a leader whose clock is set back while its renewal is under way stops at its deadline all the same', () => {
    const { candidate, clock, server, lines } = world();
    let offset = 0;
    const a = candidate('a', { scheduler: skewed(clock, () => offset) });
    candidate('b');
    clock.advance(3_000);
    const renewals = server.requests$.subscribe(({ method }) => {
      if (method === 'PUT') offset = -3_600_000;
    });
    clock.advance(1_500);
    renewals.unsubscribe();
    a.network.isDown = true;
    clock.advance(30_000);
    expect(offset).toBe(-3_600_000);
    expect(lines.filter((line) => / (lost|leading$)/.test(line)).slice(1)).toEqual([
      '14000 a lost by RenewDeadlineError',
      '22400 b leading',
    ]);
  });

  it('▲ a leader whose clock is set back while its renewal fails tries again after the retry period', () => {
    const { candidate, clock, server, lines, requests } = world();
    let offset = 0;
    candidate('a', { scheduler: skewed(clock, () => offset) });
    clock.advance(3_000);
    server.faults.next('any', serverFaults.respond(500), { times: 2 });
    const attempts = server.requests$.subscribe(() => {
      offset -= 3_600_000;
    });
    clock.advance(1_500);
    attempts.unsubscribe();
    requests.length = 0;
    clock.advance(20_000);
    expect(requests[0]).toBe('6000 PUT');
    expect(lines.filter((line) => line.includes('lost'))).toEqual([]);
  });

  it('a leader whose clock is set forward stops too early rather than too late, and comes back', () => {
    const { candidate, clock, lines } = world();
    let offset = 0;
    candidate('a', { scheduler: skewed(clock, () => offset) });
    clock.advance(3_000);
    offset = 3_600_000;
    clock.advance(5_000);
    expect(lines.slice(2)).toEqual(['4000 a lost by RenewDeadlineError', '7200 a leading']);
  });

  it('L3: the duration that the holder wrote counts, and not that of the candidate', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a', { leaseDuration: 60_000 });
    candidate('b');
    a.kill();
    clock.advance(100_000);
    expect(lines.slice(4)).toEqual(['60800 b leading']);
  });

  it('keeps its leader through a restart of the server and a short outage', () => {
    const { candidate, clock, server, lines } = world();
    const a = candidate('a');
    const b = candidate('b');
    server.restart({ compact: true });
    server.faults.next('any', serverFaults.refuse(), { times: 8 });
    clock.advance(20_000);
    server.faults.next('any', serverFaults.respond(429, { retryAfter: 1 }), { times: 4 });
    clock.advance(20_000);
    expect([a.isLeading, b.isLeading]).toEqual([true, false]);
    expect(lines.filter((line) => line.includes('lost'))).toEqual([]);
  });

  it('a leader that was cut off stops before another one begins, and is on standby when it is back', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    const b = candidate('b');
    clock.advance(3_000);
    a.network.isDown = true;
    clock.advance(30_000);
    a.network.isDown = false;
    clock.advance(5_000);
    expect(lines.filter((line) => / (lost|leading$)/.test(line))).toEqual([
      '0 a leading',
      '12000 a lost by RenewDeadlineError',
      '19200 b leading',
    ]);
    expect([a.last, b.isLeading]).toEqual([{ type: 'standby', holder: 'b', error: undefined }, true]);
  });
});
