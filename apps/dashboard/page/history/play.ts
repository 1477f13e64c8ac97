import { useEffect, useRef, useState } from 'react';
import { animationFrames } from 'rxjs';
import { shownTime, showTime } from './shown-time.js';

/** The speeds of playing, as multiples of real time. */
export const speeds = [1, 2, 5, 10, 30, 60] as const;

export type Speed = (typeof speeds)[number];

/** Playing stops this many milliseconds before the present. */
const caughtUp = 250;

export interface Player {
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly setSpeed: (speed: Speed) => void;
  /**
   * Plays from the shown time, or stops playing. While the page is live, freezes it at this moment.
   */
  readonly toggle: () => void;
  readonly pause: () => void;
}

/**
 * Advances the shown time with every frame, until it reaches the present.
 *
 * @param earliest the beginning of the recording. Playing starts there if the shown time is earlier,
 * as after a link to a time before the page was opened.
 */
export function usePlayer(earliest: number): Player {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(10);
  // After a change of speed, playing continues from the shown time.
  const last = useRef(0);
  useEffect(() => {
    if (!isPlaying) return undefined;
    last.current = 0;
    const playing = animationFrames().subscribe(({ elapsed }) => {
      const { time } = shownTime;
      const passed = elapsed - last.current;
      last.current = elapsed;
      const next = time === undefined ? Infinity : time + passed * speed;
      if (next < Date.now() - caughtUp) {
        showTime(next);
        return;
      }
      setPlaying(false);
      if (time !== undefined) showTime(undefined);
    });
    return () => {
      playing.unsubscribe();
    };
  }, [isPlaying, speed]);
  const pause = (): void => {
    setPlaying(false);
  };
  const toggle = (): void => {
    if (isPlaying) pause();
    else if (shownTime.time === undefined) showTime(Date.now());
    else {
      if (shownTime.time < earliest) showTime(earliest);
      setPlaying(true);
    }
  };
  return { isPlaying, speed, setSpeed, toggle, pause };
}
