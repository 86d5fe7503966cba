package dev.weft.dsm.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A node gave up a minipage, or the right to write it, for another node. */
@Name("dev.weft.dsm.Invalidate")
@Label("Shared memory invalidation")
@Description("A node gave a minipage, or the right to write it, up for another one; from the order of its home until no thread was inside")
@Category({"Weft", "Shared memory"})
@StackTrace(false)
public final class InvalidateEvent extends Event {
  @Label("Array")
  public String array;

  @Label("Minipage")
  @Description("Index among the array's")
  public int minipage;

  @Label("Keeps a copy")
  @Description("Only the right to write is gone")
  public boolean keepsCopy;

  @Label("Node")
  public int node;

  @Label("For node")
  @Description("Who gets it; -1 where only the home knows")
  public int requester;

  @Label("Tries")
  @Description("How often threads were in the way")
  public int tries;
}
