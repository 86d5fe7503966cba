package dev.weft.pvfs.mount;

import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The caller of a request. The kernel names user, group and process; further groups and capabilities come from {@code /proc}, while the process waits
 * for its answer. The kernel has checked permissions already; the manager uses this to check them once more. Any thread.
 */
final class Callers {
  private static final String GROUPS = "Groups:";
  private static final String CAPABILITIES = "CapEff:";

  private final Path proc;

  Callers(Path proc) {
    this.proc = proc;
  }

  /** Root needs neither groups nor capabilities. */
  Caller of(FuseReply reply) {
    return reply.uid() == 0 ? new Caller(0, reply.gid(), List.of()) : of(reply.pid(), reply.uid(), reply.gid());
  }

  /** {@code pid} is 0 for a process that is not visible here, in another container: then only the kernel's check counts. */
  Caller of(int pid, int uid, int gid) {
    if (pid <= 0) {
      return new Caller(uid, gid, List.of(), Caller.ALL | Caller.MORE_GROUPS);
    }
    List<Integer> groups = List.of();
    long capabilities = 0;
    for (String line : status(pid)) {
      if (line.startsWith(GROUPS)) {
        groups = groups(line.substring(GROUPS.length()).strip());
      } else if (line.startsWith(CAPABILITIES)) {
        capabilities = Long.parseUnsignedLong(line.substring(CAPABILITIES.length()).strip(), 16) & Caller.ALL;
      }
    }
    return groups.size() <= Caller.GROUPS_MAX ? new Caller(uid, gid, groups, capabilities)
        : new Caller(uid, gid, groups.subList(0, Caller.GROUPS_MAX), capabilities | Caller.MORE_GROUPS);
  }

  private List<String> status(int pid) {
    try {
      return Files.readAllLines(proc.resolve(Integer.toString(pid)).resolve("status"), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return List.of(); // The process no longer waits for the answer.
    }
  }

  private static List<Integer> groups(String line) {
    List<Integer> groups = new ArrayList<>();
    for (String word : line.split("\\s+")) {
      if (!word.isEmpty()) {
        groups.add(Integer.parseUnsignedInt(word));
      }
    }
    return groups;
  }
}
