package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.Band;
import java.util.Arrays;
import java.util.Locale;

/**
 * Finds the band that answers requests of a size soonest, on one connection. Sizes between two powers of two form a class; writes and reads are
 * apart. The tuner begins with the thresholds of the settings. From time to time another band gets a trial: some requests use it, in turn with others
 * that use the best band so far. The other band takes over if its median is better by a margin; otherwise its next trial comes after twice as long.
 * The extra time of trials is added up, and there are no trials while it exceeds a share of the time of all requests. So the tuner cannot be much
 * worse than the thresholds. It knows no clock: equal times give equal choices.
 */
final class BandTuner {
  private static final int CLASSES = 32;
  /** A trial ends early if the other band takes so many times as long. */
  private static final int HOPELESS = 4;
  private static final Band[] TRIED = {Band.INLINE, Band.FAST, Band.SERVER};

  private final TuningSettings settings;
  private final SizeClass[] writes = new SizeClass[CLASSES];
  private final SizeClass[] reads = new SizeClass[CLASSES];
  private long totalNs;
  private long lostNs;
  private long trials;
  private long changes;

  BandTuner(TuningSettings settings) {
    this.settings = settings;
  }

  /** Returns the smallest {@code n} with {@code bytes <= 2^n}. */
  private static int classOf(long bytes) {
    return bytes <= 1 ? 0 : Math.min(CLASSES - 1, 64 - Long.numberOfLeadingZeros(bytes - 1));
  }

  /**
   * Returns the band for the next request.
   *
   * @param mayInline whether the largest request of its class fits into a message
   * @param mayFast whether that fits into a lent buffer
   * @param usual the band by the thresholds of the settings
   */
  Band choose(boolean isWrite, long bytes, boolean mayInline, boolean mayFast, Band usual) {
    if (!mayInline && !mayFast) {
      return Band.SERVER;
    }
    SizeClass[] classes = isWrite ? writes : reads;
    int number = classOf(bytes);
    if (classes[number] == null) {
      classes[number] = new SizeClass(usual, settings);
    }
    Band chosen = classes[number].next(mayInline, mayFast);
    return isPossible(chosen, mayInline, mayFast) ? chosen : usual;
  }

  private static boolean isPossible(Band band, boolean mayInline, boolean mayFast) {
    return band == Band.INLINE ? mayInline : band != Band.FAST || mayFast;
  }

  /** Records how long a request took, from when it could be sent to its answer. */
  void learn(boolean isWrite, long bytes, Band band, long tookNs) {
    SizeClass of = (isWrite ? writes : reads)[classOf(bytes)];
    if (of != null && tookNs >= 0) {
      totalNs += tookNs;
      of.learn(band, tookNs);
    }
  }

  long trials() {
    return trials;
  }

  long changes() {
    return changes;
  }

  /** Requests of one direction and one class of sizes. */
  private final class SizeClass {
    private Band best;
    private Band other;
    private int untilTrial;
    private int interval;
    private int othersSent;
    private boolean isOthersTurn;
    private int tried;
    private final Samples bests;
    private final Samples others;

    SizeClass(Band usual, TuningSettings settings) {
      best = usual;
      interval = settings.every();
      untilTrial = interval;
      bests = new Samples(settings.samples());
      others = new Samples(settings.samples());
    }

    Band next(boolean mayInline, boolean mayFast) {
      if (--untilTrial <= 0) {
        beginTrial(mayInline, mayFast);
      }
      isOthersTurn = !isOthersTurn;
      if (other != null && isOthersTurn && othersSent < settings.samples()) {
        othersSent++;
        return other;
      }
      return best;
    }

    /** Begins a trial. Ends the previous one if some of its answers are still missing: requests have failed. */
    private void beginTrial(boolean mayInline, boolean mayFast) {
      other = null;
      untilTrial = interval;
      if (!bests.isFull() || lostNs * 100 > totalNs * settings.lossPercent()) {
        return;
      }
      for (int i = 0; i < TRIED.length && other == null; i++) {
        Band candidate = TRIED[tried++ % TRIED.length];
        other = candidate != best && isPossible(candidate, mayInline, mayFast) ? candidate : null;
      }
      if (other != null) {
        trials++;
        othersSent = 0;
        others.clear();
      }
    }

    void learn(Band band, long tookNs) {
      if (band == best) {
        bests.add(tookNs);
      } else if (band == other) {
        others.add(tookNs);
        lostNs += Math.max(0, tookNs - bests.median());
        if (others.isFull()) {
          judge();
        } else if (others.count() > 1 && others.sum() > (long) HOPELESS * others.count() * bests.median()) {
          lose();
        }
      }
    }

    private void judge() {
      if (others.median() * 100 < bests.median() * (100 - settings.gainPercent())) {
        best = other;
        bests.clear();
        changes++;
        interval = settings.every();
        other = null;
      } else {
        lose();
      }
    }

    private void lose() {
      other = null;
      interval = (int) Math.min((long) interval * 2, settings.every() * 64L);
      untilTrial = interval;
    }
  }

  /** The latest times of a band. */
  private static final class Samples {
    private final long[] times;
    private final long[] sorted;
    private int count;
    private int next;
    private boolean isSorted;

    Samples(int max) {
      times = new long[max];
      sorted = new long[max];
    }

    void add(long ns) {
      times[next] = ns;
      next = (next + 1) % times.length;
      count = Math.min(count + 1, times.length);
      isSorted = false;
    }

    void clear() {
      count = 0;
      next = 0;
      isSorted = false;
    }

    boolean isFull() {
      return count == times.length;
    }

    int count() {
      return count;
    }

    long sum() {
      long sum = 0;
      for (int i = 0; i < count; i++) {
        sum += times[i];
      }
      return sum;
    }

    /** Returns the median, 0 without samples. */
    long median() {
      if (!isSorted) {
        System.arraycopy(times, 0, sorted, 0, count);
        Arrays.sort(sorted, 0, count);
        isSorted = true;
      }
      return count == 0 ? 0 : sorted[count / 2];
    }
  }

  /** Describes for people which band is chosen up to which length, for writes and reads; empty before the first request. */
  String describe() {
    String writing = describe(writes);
    String reading = describe(reads);
    return (writing.isEmpty() ? "" : "writes " + writing) + (writing.isEmpty() || reading.isEmpty() ? "" : "; ") + (reading.isEmpty() ? "" : "reads " + reading)
        + (trials == 0 ? "" : "; " + trials + " trials, " + changes + " changes");
  }

  private static String describe(SizeClass[] classes) {
    StringBuilder text = new StringBuilder();
    Band band = null;
    long end = 0;
    for (int number = 0; number < CLASSES; number++) {
      if (classes[number] == null) {
        continue;
      }
      if (band != null && classes[number].best != band) {
        text.append(text.isEmpty() ? "" : ", ").append(spelt(band)).append(" to ").append(end);
      }
      band = classes[number].best;
      end = 1L << number;
    }
    return band == null ? "" : text.append(text.isEmpty() ? "" : ", ").append(spelt(band)).append(" to ").append(end).toString();
  }

  private static String spelt(Band band) {
    return band.name().toLowerCase(Locale.ROOT);
  }
}
