package dev.weft.dsm.node;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.events.BarrierWaitEvent;

/**
 * A barrier as the threads of one node use it.
 *
 * @param id number of the object
 * @param parties number of threads that meet
 */
record NodeBarrier(int id, String name, int parties, DsmNode space) implements DsmBarrier {
  @Override
  public void await() {
    BarrierWaitEvent event = new BarrierWaitEvent();
    event.begin();
    try {
      space.await(new Waits.OfBarrier(id));
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.barrier = name;
        event.node = space.node();
        event.parties = parties;
        event.commit();
      }
    }
  }
}
