package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.layout.Striping;
import java.util.ArrayList;
import java.util.List;

/**
 * What syncs of one file have to tell. A client was answered a change, and then a daemon that has some of it lost power before a sync began, or had it in
 * memory and ended: whoever has the file open at this client since before is told by the next sync that ends well otherwise, once. Nobody is told who has
 * lost nothing.
 */
final class ToldLosses {
  /** Who has the file open. */
  static final class Reader {
    private final Object client;
    private final long opened;
    /** When it was told for the last time. */
    private long told = -1;

    /** @param client where changes are made that it is told the loss of */
    Reader(Object client, long opened) {
      this.client = client;
      this.opened = opened;
    }
  }

  /** @param byManager the client was only told: it may not have known yet that the daemon is another one */
  private record Made(Object client, FileHistory.Change change, boolean byManager) {}

  private record PowerFailure(int daemon, long at) {}

  /** To sync, whatever comes of it; some daemons may have synced. */
  static final class Attempt {
    private final Object client;
    private final long begin;
    private long end = FileHistory.OPEN;

    private Attempt(Object client, long begin) {
      this.client = client;
      this.begin = begin;
    }

    void end(long at) {
      end = at;
    }
  }

  private final String name;
  private final Striping striping;
  private final Violations violations;
  private final List<Made> made = new ArrayList<>();
  private final List<PowerFailure> powerFailures = new ArrayList<>();
  private final List<FileHistory.Change> ends = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();

  ToldLosses(String name, Striping striping, Violations violations) {
    this.name = name;
    this.striping = striping;
    this.violations = violations;
  }

  void made(Object client, FileHistory.Change change) {
    made.add(new Made(client, change, false));
  }

  void cutByManager(Object client, FileHistory.Change cut) {
    made.add(new Made(client, cut, true));
  }

  void losePower(int daemon, long at) {
    powerFailures.add(new PowerFailure(daemon, at));
  }

  /** A daemon in memory ends; the change does when another one is there. */
  void ends(FileHistory.Change loss) {
    ends.add(loss);
  }

  Attempt begin(Reader reader, long begin) {
    Attempt attempt = new Attempt(reader.client, begin);
    attempts.add(attempt);
    return attempt;
  }

  /** A sync went well, begun at {@code begin}, and told nothing. */
  void checkSilence(String who, Reader reader, long begin) {
    long since = Math.max(reader.opened, reader.told);
    for (Made each : made) {
      FileHistory.Change change = each.change;
      if (each.client == reader.client && change.isDone) {
        boolean isLost = powerFailures.stream().anyMatch(failure -> failure.at > since && failure.at < begin && change.end < failure.at
            && touches(change, failure.daemon) && !mayBeSynced(each, failure.at))
            || ends.stream().anyMatch(loss -> loss.begin > since && loss.end < begin && change.end < loss.begin && touches(change, loss.daemon));
        if (isLost) {
          violations.add(who + " of " + name + ", begun at " + begin + ", does not tell that " + change + " may be lost; " + powerFailures + " " + ends);
          return;
        }
      }
    }
  }

  /** Of a change at several daemons one may have synced its part before another has answered. */
  private boolean mayBeSynced(Made each, long before) {
    return attempts.stream().anyMatch(attempt -> attempt.client == each.client && attempt.end > each.change.begin && attempt.begin < before);
  }

  /** A sync told of a loss. */
  void checkTold(String who, Reader reader, long end) {
    reader.told = end;
    boolean mayBe = made.stream().filter(each -> each.client == reader.client).anyMatch(each ->
        powerFailures.stream().anyMatch(failure -> (each.byManager || each.change.begin < failure.at) && touches(each.change, failure.daemon))
            || ends.stream().anyMatch(loss -> (each.byManager || each.change.begin < loss.end) && touches(each.change, loss.daemon)));
    if (!mayBe) {
      violations.add(who + " of " + name + " tells of a loss, and nothing that was changed can be lost; " + powerFailures + " " + ends);
    }
  }

  private boolean touches(FileHistory.Change change, int daemon) {
    for (int slot = 0; change.cutTo >= 0 && slot < striping.count(); slot++) {
      if (striping.daemonOf(slot) == daemon) {
        return true;
      }
    }
    for (int i = 0; i < change.offsets.length; i++) {
      long end = change.offsets[i] + change.lengths[i];
      for (long at = change.offsets[i]; at < end; at += striping.restOfStripe(at)) {
        if (striping.daemonOf(striping.slotOf(at)) == daemon) {
          return true;
        }
      }
    }
    return false;
  }
}
