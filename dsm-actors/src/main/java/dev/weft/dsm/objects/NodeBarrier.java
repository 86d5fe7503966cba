package dev.weft.dsm.objects;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.events.BarrierWaitEvent;

/**
 * A barrier as the threads of one node use it.
 *
 * @param id number of the object
 * @param parties number of threads that meet
 */
public record NodeBarrier(int id, String name, int parties, NodeCalls calls) implements DsmBarrier {
  @Override
  public void await() {
    BarrierWaitEvent event = new BarrierWaitEvent();
    event.begin();
    try {
      calls.await(new Wait.OfBarrier(id));
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.barrier = name;
        event.node = calls.node();
        event.parties = parties;
        event.commit();
      }
    }
  }
}
