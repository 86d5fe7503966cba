package dev.weft.dsm.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A thread waited until its node had a minipage with the right that it needed. */
@Name("dev.weft.dsm.Fault")
@Label("Shared memory fault")
@Description("A thread waited until its node had a minipage with the right it wanted")
@Category({"Weft", "Shared memory"})
@StackTrace
public final class FaultEvent extends Event {
  @Label("Array")
  public String array;

  @Label("Minipage")
  @Description("Index among the array's")
  public int minipage;

  @Label("Kind")
  @Description("read or write")
  public String kind;

  @Label("Node")
  public int node;

  @Label("From node")
  @Description("Where the data came from; -1 if none was moved, or the wait failed")
  public int from;

  @Label("Bytes")
  @Description("Data that was moved")
  @DataAmount
  public long bytes;
}
