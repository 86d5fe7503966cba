package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Draw;
import dev.weft.pvfs.layout.StripingWish;
import java.util.ArrayList;
import java.util.List;

/** Draws programs. Operations are concentrated at a few places of each file: borders of stripes, chunks and the ends of files. */
final class StepPlanner {
  /** Maximum bytes of a write, and of each of two ranges; a program has memory for two. */
  static final int BYTES_MAX = 24 << 10;
  static final List<String> NAMES = List.of("a", "b", "c");
  /** Maximum bytes of a single range. */
  static final int CHUNK_BYTES = 64 << 10;
  /** Maximum stripes of one range, because each is a separate piece. */
  private static final int STRIPES_MAX = 100;
  /** When programs have usually opened their files, without disturbance. */
  static final long WRITES_NS = 150_000;
  private static final int PAGE_BYTES = 4 << 10;
  private static final long FAR = 1L << 40;

  private final int opsMax;
  private final List<long[]> hot = new ArrayList<>();
  private final List<Integer> longest = new ArrayList<>();
  private final long thinkNs;

  StepPlanner(Draw draw, List<StripingWish> files, int opsMax) {
    this.opsMax = opsMax;
    this.thinkNs = (long) draw.logarithmic(100, 200_000);
    for (StripingWish wish : files) {
      hot.add(places(draw.split(), wish.stripeBytes()));
      longest.add(Math.min(BYTES_MAX, STRIPES_MAX * wish.stripeBytes()));
    }
    hot.add(places(draw.split(), CHUNK_BYTES));
    longest.add(BYTES_MAX);
  }

  private static long[] places(Draw draw, int stripeBytes) {
    long[] places = new long[draw.between(2, 5)];
    long start = draw.chance(0.1) ? FAR : 0;
    for (int i = 0; i < places.length; i++) {
      long stripe = (long) draw.between(0, 3) * stripeBytes;
      long chunk = (long) draw.between(0, 2) * CHUNK_BYTES;
      places[i] = start + (draw.chance(0.5) ? stripe : draw.chance(0.5) ? chunk : 0);
    }
    return places;
  }

  List<Step> plan(Draw draw) {
    int ops = Math.min(opsMax, (int) draw.logarithmic(4, PvfsOptions.OPS_MAX + 1));
    boolean namesOnly = draw.chance(0.15);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < ops; i++) {
      steps.add(step(draw.split(), namesOnly));
    }
    return steps;
  }

  /** For files on disks: syncs written files now and then, and only those. */
  static List<Step> withSyncs(List<Step> steps, Draw draw) {
    List<Step> all = new ArrayList<>();
    for (Step step : steps) {
      all.add(step);
      if (step.kind().isData() && step.kind() != OpKind.REOPEN && draw.chance(0.3)) {
        all.add(new Step(OpKind.SYNC, step.file(), 0, 0, 0, 0, step.name(), 0, step.newName(), 0, (long) draw.logarithmic(1, 100_000)));
      }
    }
    return all;
  }

  /** Adds writes at the start, each of which needs its own room. */
  static List<Step> behindWrites(List<Step> steps, Draw draw, List<StripingWish> files) {
    List<Step> all = new ArrayList<>();
    int file = draw.between(0, files.size() - 1);
    long at = (long) draw.between(0, 3) * CHUNK_BYTES;
    int most = Math.min(BYTES_MAX, STRIPES_MAX * files.get(file).stripeBytes());
    for (int left = draw.between(4, 10); left > 0; left--) {
      int bytes = length(draw, most);
      long thinkNs = (long) draw.logarithmic(1, 10_000) + (all.isEmpty() ? WRITES_NS : 0);
      all.add(new Step(OpKind.WRITE, file, at, bytes, 0, 0, NAMES.getFirst(), 0, NAMES.getFirst(), 0, thinkNs));
      at += PAGE_BYTES * draw.between(1, 4) + (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
    all.addAll(steps);
    return all;
  }

  /** Adds steps after all that do not concern names: data is written, synced with {@code syncs}, cut, and written again. */
  static List<Step> withCuts(List<Step> steps, Draw draw, List<StripingWish> files, boolean syncs) {
    List<Step> all = new ArrayList<>(steps.stream().filter(step -> step.kind().isData() || step.kind().isLock()).toList());
    int end = all.size() - (!all.isEmpty() && all.getLast().kind() == OpKind.UNLOCK ? 1 : 0);
    List<Step> cuts = new ArrayList<>();
    int file = draw.between(0, files.size() - 1);
    int most = Math.min(PAGE_BYTES, STRIPES_MAX * files.get(file).stripeBytes());
    for (int left = draw.between(4, 8); left > 0; left--) {
      int bytes = length(draw, most);
      long at = (long) draw.between(2, 6) * CHUNK_BYTES;
      cuts.add(plain(OpKind.WRITE, file, at, bytes, draw));
      if (syncs) {
        cuts.add(plain(OpKind.SYNC, file, 0, 0, draw));
      }
      cuts.add(plain(draw.chance(0.85) ? OpKind.CUT : OpKind.TRUNCATE, file, 0, bytes, draw));
      cuts.add(plain(OpKind.WRITE, file, bytes, bytes, draw));
    }
    all.addAll(end, cuts);
    return all;
  }

  /** Adds steps at the start: writes into a few chunks, which grow by them, and reads of whole chunks. The file's stripes have the same size. */
  static List<Step> withChunks(List<Step> steps, Draw draw, int file) {
    List<Step> all = new ArrayList<>();
    if (draw.chance(0.5)) {
      all.add(plain(OpKind.TRUNCATE, file, 8 * CHUNK_BYTES, 0, draw));
    }
    for (int left = draw.between(3, 6); left > 0; left--) {
      long chunk = (long) draw.between(4, 5) * CHUNK_BYTES; // Not a daemon's first chunk, which grows by pages.
      int bytes = length(draw, BYTES_MAX);
      all.add(plain(OpKind.WRITE, file, chunk + (long) draw.between(0, (CHUNK_BYTES - bytes) / FileHistory.CELL) * FileHistory.CELL, bytes, draw));
      all.add(plain(OpKind.READ, file, chunk, CHUNK_BYTES, draw));
    }
    all.addAll(steps);
    return all;
  }

  private static Step plain(OpKind kind, int file, long offset, int bytes, Draw draw) {
    return new Step(kind, file, offset, bytes, 0, 0, NAMES.getFirst(), 0, NAMES.getFirst(), 0, (long) draw.logarithmic(1, 300_000));
  }

  private Step step(Draw draw, boolean namesOnly) {
    OpKind kind = namesOnly || draw.chance(0.3) ? nameKind(draw) : dataKind(draw);
    int file = draw.chance(0.2) ? -1 : draw.between(0, hot.size() - 2);
    int at = file < 0 ? hot.size() - 1 : file;
    int bytes = length(draw, longest.get(at));
    long place = hot.get(at)[draw.between(0, hot.get(at).length - 1)];
    long back = draw.chance(0.5) ? 0 : FileHistory.CELL * (long) (draw.chance(0.5) ? bytes / 2 / FileHistory.CELL : draw.between(0, 20));
    int gap = draw.pick(0, FileHistory.CELL, 100, 4_096);
    return new Step(kind, file, Math.max(0, place - back), bytes, gap, draw.between(0, 1), name(draw), draw.between(0, 1), name(draw),
        draw.pick(0, 0, 0, 1, 2), (long) draw.logarithmic(1, 2 * thinkNs));
  }

  private static String name(Draw draw) {
    return NAMES.get(draw.between(0, NAMES.size() - 1));
  }

  private static int length(Draw draw, int most) {
    int cells = (int) draw.logarithmic(1, most / (double) FileHistory.CELL);
    return Math.clamp((long) cells * FileHistory.CELL, FileHistory.CELL, most);
  }

  private static OpKind dataKind(Draw draw) {
    int die = draw.between(0, 99);
    return die < 34 ? OpKind.READ : die < 68 ? OpKind.WRITE : die < 72 ? OpKind.READ_LIST : die < 77 ? OpKind.WRITE_LIST : die < 81 ? OpKind.TRUNCATE
        : die < 84 ? OpKind.CUT : die < 87 ? OpKind.PUNCH : die < 92 ? OpKind.SIZE : die < 95 ? OpKind.ATTRIBUTES : die < 96 ? OpKind.SYNC : OpKind.REOPEN;
  }

  private static OpKind nameKind(Draw draw) {
    int die = draw.between(0, 99);
    return die < 30 ? OpKind.CREATE : die < 40 ? OpKind.CLOSE : die < 48 ? OpKind.MKDIR : die < 54 ? OpKind.LINK : die < 68 ? OpKind.UNLINK
        : die < 74 ? OpKind.RMDIR : die < 85 ? OpKind.RENAME : die < 94 ? OpKind.LOOKUP : OpKind.LIST;
  }
}
