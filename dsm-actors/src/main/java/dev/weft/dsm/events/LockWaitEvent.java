package dev.weft.dsm.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A thread waited for a lock that was not free at its node. */
@Name("dev.weft.dsm.LockWait")
@Label("Shared memory lock wait")
@Description("A thread waited for a lock that was not free at its node")
@Category({"Weft", "Shared memory"})
public final class LockWaitEvent extends Event {
  @Label("Lock")
  public String lock;

  @Label("Node")
  public int node;

  @Label("Acquired")
  @Description("Otherwise it waited too long, or a node was lost")
  public boolean acquired;
}
