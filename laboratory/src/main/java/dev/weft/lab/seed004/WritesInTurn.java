package dev.weft.lab.seed004;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.List;

/** One write at a time, on each connection in turn, from posting to completion. */
final class WritesInTurn extends NetVmDrive {
  private final List<NetVmEnd> ends;
  private final int bytes;
  private final int warmUp;
  private final Clock clock;
  private final long[][] ns;
  private final WorkRequest wr = new WorkRequest();
  private long count;
  private long postedNs;

  /** {@code each} writes on each connection count, after {@code warmUp} that do not. */
  WritesInTurn(List<NetVmEnd> ends, int bytes, int each, int warmUp, Clock clock) {
    this.ends = ends;
    this.bytes = bytes;
    this.warmUp = warmUp;
    this.clock = clock;
    ns = new long[ends.size()][each];
  }

  @Override
  void start() {
    post();
  }

  private int turn() {
    return (int) (count % ends.size());
  }

  private void post() {
    NetVmEnd to = ends.get(turn());
    postedNs = clock.nowNs();
    to.qp.postSend(wr.write(to.remote, to.rkey).sge(to.local.region, 0, bytes).signaled());
  }

  @Override
  void completed(WorkCompletion wc) {
    long index = count / ends.size() - warmUp;
    if (index >= 0) {
      ns[turn()][(int) index] = clock.nowNs() - postedNs;
    }
    count++;
    if (count == (long) (warmUp + ns[0].length) * ends.size()) {
      finish();
    } else {
      post();
    }
  }

  /** Nanoseconds of each write of a connection. */
  long[] ns(int connection) {
    return ns[connection];
  }
}
