package dev.weft.pvfs.mount;

import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who asks: the kernel names user, group and process; the further groups are those of the process, by {@code /proc}. They are remembered for a process, which
 * is known by its number and its start, for {@link #VALID_NS}: so long a change of them (setgroups(2)) may be missed. Any thread.
 */
final class Callers {
  private static final int PROCESSES_MAX = 1024;
  private static final long VALID_NS = 1_000_000_000L;
  /** Of /proc/PID/stat, behind the name, which may have blanks and brackets. */
  private static final int START_FIELD = 19;

  private record Process(String start, long readNs, int uid, int gid, Caller caller) {}

  private final Path proc;
  private final Map<Integer, Process> processes = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Integer, Process> eldest) {
      return size() > PROCESSES_MAX;
    }
  };

  Callers(Path proc) {
    this.proc = proc;
  }

  /** Root has no need of groups; who has gone meanwhile has none. */
  Caller of(FuseReply reply) {
    int pid = reply.pid();
    if (reply.uid() == 0 || pid <= 0) {
      return new Caller(reply.uid(), reply.gid(), List.of());
    }
    return of(pid, reply.uid(), reply.gid(), System.nanoTime());
  }

  Caller of(int pid, int uid, int gid, long nowNs) {
    Process known;
    synchronized (processes) {
      known = processes.get(pid);
    }
    String start = start(pid);
    if (known != null && known.start().equals(start) && nowNs - known.readNs() < VALID_NS && known.uid() == uid && known.gid() == gid) {
      return known.caller();
    }
    Caller caller = new Caller(uid, gid, groups(pid));
    synchronized (processes) {
      processes.put(pid, new Process(start, nowNs, uid, gid, caller));
    }
    return caller;
  }

  private String start(int pid) {
    try {
      String line = Files.readString(proc.resolve(Integer.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
      String[] fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ");
      return fields.length > START_FIELD ? fields[START_FIELD] : "";
    } catch (IOException gone) {
      return "";
    }
  }

  /** As many as a request has room for; a process with more may be refused what those behind would allow. */
  private List<Integer> groups(int pid) {
    try {
      for (String line : Files.readString(proc.resolve(Integer.toString(pid)).resolve("status"), StandardCharsets.ISO_8859_1).split("\n")) {
        if (line.startsWith("Groups:")) {
          List<Integer> groups = new ArrayList<>();
          for (String word : line.substring("Groups:".length()).strip().split("\\s+")) {
            if (!word.isEmpty() && groups.size() < Caller.GROUPS_MAX) {
              groups.add(Integer.parseUnsignedInt(word));
            }
          }
          return groups;
        }
      }
    } catch (IOException | NumberFormatException unknown) {
      return List.of();
    }
    return List.of();
  }
}
