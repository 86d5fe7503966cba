package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.layout.Striping;
import java.util.ArrayList;
import java.util.List;

/**
 * The losses that syncs of one file must report. A client got the answer to a change; then, before a sync began, a daemon with some of the change
 * lost power, or ended with the change in memory. Each user that has had the file open at this client since before then learns of it by its next sync
 * that is otherwise successful, once. No other user gets a report.
 */
final class ToldLosses {
  /** A user that has the file open. */
  static final class Reader {
    private final Object client;
    private final long opened;
    /** When it last got a report. */
    private long told = -1;

    /** @param client client whose lost changes it learns of */
    Reader(Object client, long opened) {
      this.client = client;
      this.opened = opened;
    }
  }

  /** @param byManager whether the manager made the change; the client may not have known yet that the daemon was replaced */
  private record Made(Object client, FileHistory.Change change, boolean byManager) {}

  private record PowerFailure(int daemon, long at) {}

  /** An attempt to sync, with any result; some daemons may have synced. */
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

  /** A daemon in memory ends; the loss ends when another one is there. */
  void ends(FileHistory.Change loss) {
    ends.add(loss);
  }

  Attempt begin(Reader reader, long begin) {
    Attempt attempt = new Attempt(reader.client, begin);
    attempts.add(attempt);
    return attempt;
  }

  /** Checks a successful sync, begun at {@code begin}, that reported no loss. */
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

  /** Of a change at several daemons, one may have synced its part before another has answered. */
  private boolean mayBeSynced(Made each, long before) {
    return attempts.stream().anyMatch(attempt -> attempt.client == each.client && attempt.end > each.change.begin && attempt.begin < before);
  }

  /** Checks a sync that reported a loss. */
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
