package dev.weft.fabric.cluster;

import io.aeron.AeronCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Finds the driver's clients whose JVM has ended, and makes the driver forget them. A paused JVM keeps all it has, however long the pause is: its
 * process holds its {@link LifeLine}. A client may have no life line, because it is not one of Weft's or was killed before it had set its name. It
 * is dead if its heartbeat has not changed for {@link #NAMELESS_MAX_NS}. The driver's main thread.
 */
final class DeadClients {
  /** Longest silence of a client without a name. A client sets its name half a second after it has connected, or later on a busy machine. */
  static final long NAMELESS_MAX_NS = 20_000_000_000L;
  /** Looks that must find a client dead. One is not enough, because the client may just be writing its name. */
  private static final int LOOKS = 2;

  private final Path directory;
  private final CountersReader counters;
  private final Int2ObjectHashMap<Seen> clients = new Int2ObjectHashMap<>();

  private static final class Seen {
    long registrationId;
    long heartbeat;
    long changedNs;
    int deadLooks;
    long look;
  }

  private long look;

  DeadClients(Path directory, CountersReader counters) {
    this.directory = directory;
    this.counters = counters;
  }

  /** Checks all clients; call it periodically. Returns how many clients this call found dead. */
  int look(long nowNs) {
    look++;
    Map<String, Boolean> lives = new HashMap<>();
    int[] dead = {0};
    counters.forEach((counterId, typeId, _, label) -> {
      if (typeId == AeronCounters.DRIVER_HEARTBEAT_TYPE_ID && isDead(counterId, name(label), lives, nowNs)) {
        forget(counterId);
        removeLifeLine(name(label));
        dead[0]++;
      }
    });
    clients.values().removeIf(seen -> seen.look != look);
    return dead[0];
  }

  private boolean isDead(int counterId, String name, Map<String, Boolean> lives, long nowNs) {
    long registrationId = counters.getCounterRegistrationId(counterId);
    Seen seen = clients.get(counterId);
    if (seen == null || seen.registrationId != registrationId) {
      seen = new Seen();
      seen.registrationId = registrationId;
      seen.changedNs = nowNs;
      clients.put(counterId, seen);
    }
    seen.look = look;
    long heartbeat = counters.getCounterValue(counterId);
    if (heartbeat != seen.heartbeat) {
      seen.heartbeat = heartbeat;
      seen.changedNs = nowNs;
    }
    if (heartbeat == 0) {
      return false; // The client has closed, or was found dead before; the driver removes it within a second.
    }
    boolean isSilent = name == null ? nowNs - seen.changedNs > NAMELESS_MAX_NS : !lives.computeIfAbsent(name, this::lives);
    seen.deadLooks = isSilent ? seen.deadLooks + 1 : 0;
    return seen.deadLooks >= LOOKS;
  }

  private boolean lives(String name) {
    try {
      return LifeLine.isHeld(directory.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot see whether " + name + " holds its file", e);
    }
  }

  private void removeLifeLine(String name) {
    try {
      if (name != null) {
        Files.deleteIfExists(directory.resolve(name));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove what a JVM that has ended left: " + name, e);
    }
  }

  /** Sets the client's heartbeat to a time long ago, so that the driver removes the client at its next check. */
  private void forget(int counterId) {
    AtomicBuffer values = counters.valuesBuffer();
    values.putLongVolatile(CountersReader.counterOffset(counterId), 0);
  }

  /** Returns the name of a client of Weft; null for other clients, or before the name is known. */
  static String name(String label) {
    int begin = label.indexOf(" name=weft-jvm-");
    if (begin < 0) {
      return null;
    }
    int from = begin + " name=".length();
    int end = label.indexOf(' ', from);
    return end < 0 ? null : label.substring(from, end);
  }
}
