import { useEffect, useState } from 'react';
import { animationFrames } from 'rxjs';
import { shownTime, showTime } from './shown-time.js';

/** The speed of playing, as a multiple of real time. */
const speed = 10;

/** Playing stops this many milliseconds before the present. */
const caughtUp = 250;

export interface Player {
  readonly isPlaying: boolean;
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
  useEffect(() => {
    if (!isPlaying) return undefined;
    let last = 0;
    const playing = animationFrames().subscribe(({ elapsed }) => {
      const { time } = shownTime;
      const passed = elapsed - last;
      last = elapsed;
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
  }, [isPlaying]);
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
  return { isPlaying, toggle, pause };
}
