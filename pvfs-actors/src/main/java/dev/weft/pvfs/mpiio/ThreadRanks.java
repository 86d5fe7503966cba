package dev.weft.pvfs.mpiio;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Ranks that are threads of one JVM. If a thread is interrupted or stops early, the calls of all ranks fail. */
public final class ThreadRanks implements Ranks {
  private record Offer(MemorySegment memory, int[] bytes) {}

  private static final class Meeting {
    final CyclicBarrier barrier;
    final Offer[] offers;

    Meeting(int size) {
      barrier = new CyclicBarrier(size);
      offers = new Offer[size];
    }
  }

  private final int rank;
  private final Meeting meeting;

  private ThreadRanks(int rank, Meeting meeting) {
    this.rank = rank;
    this.meeting = meeting;
  }

  /** Makes {@code size} ranks, one for each thread. */
  public static List<ThreadRanks> of(int size) {
    Meeting meeting = new Meeting(size);
    List<ThreadRanks> all = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      all.add(new ThreadRanks(i, meeting));
    }
    return all;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return meeting.offers.length;
  }

  @Override
  public void barrier() {
    try {
      meeting.barrier.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("rank " + rank + " was interrupted while it waited for the others", e);
    } catch (BrokenBarrierException e) {
      throw new IllegalStateException("another rank has given up while rank " + rank + " waited for it", e);
    }
  }

  /** This rank takes no further part: other ranks do not wait for it, neither now nor later. */
  public void giveUp() {
    boolean wasInterrupted = Thread.interrupted();
    Thread.currentThread().interrupt(); // An interrupted thread at the barrier breaks it for good; a reset would affect only threads that wait now.
    try {
      meeting.barrier.await();
    } catch (InterruptedException | BrokenBarrierException isBroken) {
      Thread.interrupted();
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Take {
    void from(Offer[] offers);
  }

  /** Exchanges data. The offered memory belongs to its rank again when all ranks have taken their parts. */
  private void exchange(MemorySegment send, int[] bytes, Take take) {
    meeting.offers[rank] = new Offer(send, bytes);
    barrier();
    try {
      take.from(meeting.offers);
    } catch (RuntimeException wrong) {
      giveUp();
      throw wrong;
    }
    barrier();
  }

  @Override
  public void broadcast(MemorySegment buffer, int root) {
    exchange(buffer, new int[0], offers -> {
      if (rank != root) {
        buffer.copyFrom(offers[root].memory());
      }
    });
  }

  @Override
  public void allgather(MemorySegment send, MemorySegment receive) {
    exchange(send, new int[0], offers -> {
      for (int i = 0; i < offers.length; i++) {
        receive.asSlice(i * send.byteSize(), send.byteSize()).copyFrom(offers[i].memory());
      }
    });
  }

  @Override
  public void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes) {
    exchange(send, sendBytes, offers -> {
      long to = 0;
      for (int i = 0; i < offers.length; i++) {
        long from = 0;
        for (int before = 0; before < rank; before++) {
          from += offers[i].bytes()[before];
        }
        if (offers[i].bytes()[rank] != receiveBytes[i]) {
          throw new IllegalArgumentException("rank " + i + " sends " + offers[i].bytes()[rank] + " bytes to rank " + rank + ", which wants " + receiveBytes[i]);
        }
        MemorySegment.copy(offers[i].memory(), from, receive, to, receiveBytes[i]);
        to += receiveBytes[i];
      }
    });
  }
}
