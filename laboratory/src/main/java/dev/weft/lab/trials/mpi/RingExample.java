package dev.weft.lab.trials.mpi;

import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Mpi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/** A token of growing length travels around the ring; each rank adds its number to every word of it. */
public final class RingExample implements Example {
  private static final int ROUNDS = 20;
  private static final int LONGEST_WORDS = 1 << 17;

  @Override
  public String name() {
    return "ring";
  }

  @Override
  public String description() {
    return "a token of 8 bytes to 1 MiB goes round; checks the sum of ranks";
  }

  @Override
  public Outcome run(Communicator world) {
    int next = (world.rank() + 1) % world.size();
    int before = (world.rank() + world.size() - 1) % world.size();
    long perRound = (long) world.size() * (world.size() - 1) / 2;
    MemorySegment token = Mpi.allocate(LONGEST_WORDS * 8L);
    boolean right = true;
    for (int round = 0; round < ROUNDS; round++) {
      MemorySegment part = token.asSlice(0, 8L * Math.min(LONGEST_WORDS, 1 << round));
      if (world.rank() == 0) {
        part.fill((byte) 0);
        if (world.size() > 1) {
          world.send(part, next, round);
          world.recv(part, before, round);
        }
        for (long at = 0; at < part.byteSize(); at += Long.BYTES) {
          right &= part.get(ValueLayout.JAVA_LONG, at) == perRound;
        }
      } else {
        world.recv(part, before, round);
        for (long at = 0; at < part.byteSize(); at += Long.BYTES) {
          part.set(ValueLayout.JAVA_LONG, at, part.get(ValueLayout.JAVA_LONG, at) + world.rank());
        }
        world.send(part, next, round);
      }
    }
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("rounds", ROUNDS);
    values.put("sum", perRound);
    return new Outcome(right, values);
  }
}
