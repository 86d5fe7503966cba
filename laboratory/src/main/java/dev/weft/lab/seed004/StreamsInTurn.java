package dev.weft.lab.seed004;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.List;

/** As many writes as the way holds, on each connection for a time slice in turn. */
final class StreamsInTurn extends NetVmDrive {
  private static final int OUTSTANDING = 16;

  private final List<NetVmEnd> ends;
  private final int bytes;
  private final long sliceNs;
  private final Clock clock;
  private final double[][] rates;
  private final WorkRequest wr = new WorkRequest();
  private int slice;
  private long beganNs;
  private long done;
  private int outstanding;

  /** {@code slices} on each connection. */
  StreamsInTurn(List<NetVmEnd> ends, int bytes, int slices, long sliceNs, Clock clock) {
    this.ends = ends;
    this.bytes = bytes;
    this.sliceNs = sliceNs;
    this.clock = clock;
    rates = new double[ends.size()][slices];
  }

  @Override
  void start() {
    beganNs = clock.nowNs();
    done = 0;
    while (outstanding < OUTSTANDING) {
      post();
    }
  }

  private void post() {
    NetVmEnd to = ends.get(slice % ends.size());
    outstanding++;
    to.qp.postSend(wr.write(to.remote, to.rkey).sge(to.local.region, 0, bytes).signaled());
  }

  @Override
  void completed(WorkCompletion wc) {
    outstanding--;
    done++;
    long tookNs = clock.nowNs() - beganNs;
    if (tookNs < sliceNs) {
      post();
    } else if (outstanding == 0) {
      rates[slice % ends.size()][slice / ends.size()] = done * (double) bytes / tookNs * 1e9;
      if (++slice == ends.size() * rates[0].length) {
        finish();
      } else {
        start();
      }
    }
  }

  /** Bytes per second in each slice of a connection. */
  double[] rates(int connection) {
    return rates[connection];
  }
}
