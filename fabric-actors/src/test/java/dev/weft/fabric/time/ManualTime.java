package dev.weft.fabric.time;

import akka.actor.typed.ActorRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Time that passes when a test says so, and alarms that go off then. One thread. */
public final class ManualTime implements Clock, Timers {
  private record Due(long atNs, Runnable goOff) {}

  private final List<Due> alarms = new ArrayList<>();
  private long nowNs = 1_000;

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public <T> void at(long deadlineNs, ActorRef<T> receiver, T message) {
    alarms.add(new Due(deadlineNs, () -> receiver.tell(message)));
  }

  /** What an element gets: this time, and random numbers of one seed. */
  public FabricContext context(long seed) {
    return new FabricContext(this, this, new Random(seed));
  }

  /** Alarms that wait. */
  public int alarms() {
    return alarms.size();
  }

  /** Lets time pass; alarms that are due by then tell, in their order, after it. What they tell has to be read by the actor yet. */
  public void pass(long ns) {
    nowNs += ns;
    List<Due> due = alarms.stream().filter(alarm -> alarm.atNs - nowNs <= 0).sorted(Comparator.comparingLong(Due::atNs)).toList();
    alarms.removeAll(due);
    due.forEach(alarm -> alarm.goOff.run());
  }
}
