package dev.weft.dsm.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A thread waited at a barrier until all threads had come. */
@Name("dev.weft.dsm.BarrierWait")
@Label("Shared memory barrier wait")
@Description("A thread waited at a barrier until all had come")
@Category({"Weft", "Shared memory"})
public final class BarrierWaitEvent extends Event {
  @Label("Barrier")
  public String barrier;

  @Label("Node")
  public int node;

  @Label("Threads")
  @Description("That meet there")
  public int parties;
}
