package dev.weft.pvfs.fuse;

import dev.weft.fabric.memory.CLibrary;
import dev.weft.pvfs.fuse.LinuxCalls.Call;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Mounts as an ordinary user by the privileged program fusermount3: it opens the device, mounts, and passes the descriptor through a socket. It is
 * started with posix_spawn(3), because a {@link Process} inherits no socket.
 */
final class Fusermount {
  private static final String PROGRAM = "fusermount3";
  private static final int SOCKET_IN_CHILD = 3;
  private static final int ERRORS_IN_CHILD = 2;
  private static final int UNIX = 1;
  private static final int STREAM_CLOSE_ON_EXEC = 1 | 0x80000;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int ERROR_BYTES_MAX = 4096;
  /** At least the size of {@code posix_spawn_file_actions_t} in the C libraries. */
  private static final int ACTIONS_BYTES = 256;
  private static final long UNMOUNT_S = 10;
  private static final MethodHandle SPAWN = find("posix_spawn", ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
      ValueLayout.ADDRESS, ValueLayout.ADDRESS);
  private static final MethodHandle INIT_ACTIONS = find("posix_spawn_file_actions_init", ValueLayout.ADDRESS);
  private static final MethodHandle ADD_DUP2 = find("posix_spawn_file_actions_adddup2", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle DESTROY_ACTIONS = find("posix_spawn_file_actions_destroy", ValueLayout.ADDRESS);

  private Fusermount() {}

  private static MethodHandle find(String name, MemoryLayout... arguments) {
    return CLibrary.find(name, FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  /** Returns its path; null if it is not installed. */
  static Path program() {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/bin:/bin";
    return Stream.of(path.split(":")).filter(folder -> !folder.isEmpty()).map(folder -> Path.of(folder, PROGRAM)).filter(Files::isExecutable)
        .findFirst().orElse(null);
  }

  private static Path requireProgram() throws IOException {
    Path program = program();
    if (program == null) {
      throw new IOException("to mount without being root takes the program " + PROGRAM + ", which is not on the PATH (Debian: apt-get install fuse3)");
    }
    return program;
  }

  static int mount(Path directory, FuseOptions options) throws IOException {
    Path program = requireProgram();
    String wanted = "fsname=" + options.name + ",subtype=" + options.name + (options.checksPermissions ? ",default_permissions" : "")
        + (options.allowsOther ? ",allow_other" : "") + (options.opensDevices ? ",dev" : "") + (options.isReadOnly ? ",ro" : "");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pair = arena.allocate(16, 8);
      require(LinuxCalls.call(Call.SOCKETPAIR, UNIX, STREAM_CLOSE_ON_EXEC, 0, pair.address(), 0), "socketpair(2)");
      int socket = pair.get(ValueLayout.JAVA_INT, 0);
      int errors = -1;
      try {
        int itsSocket = pair.get(ValueLayout.JAVA_INT, 4);
        int itsErrors = -1;
        int process;
        try {
          require(LinuxCalls.call(Call.PIPE2, pair.address() + 8, CLOSE_ON_EXEC, 0), "pipe2(2)");
          errors = pair.get(ValueLayout.JAVA_INT, 8);
          itsErrors = pair.get(ValueLayout.JAVA_INT, 12);
          process = spawn(arena, List.of(program.toString(), "-o", wanted, "--", directory.toString()), itsSocket, itsErrors);
        } finally {
          close(itsSocket, itsErrors); // So that this process sees its end.
        }
        return received(arena, process, socket, errors, directory);
      } finally {
        close(socket, errors);
      }
    }
  }

  private static void close(int... fds) {
    for (int fd : fds) {
      if (fd >= 0) {
        LinuxCalls.close(fd);
      }
    }
  }

  private static long require(long result, String what) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": " + LinuxCalls.errorName(result));
    }
    return result;
  }

  private static int spawn(Arena arena, List<String> command, int socket, int errors) throws IOException {
    MemorySegment actions = arena.allocate(ACTIONS_BYTES, 8);
    MemorySegment process = arena.allocate(ValueLayout.JAVA_INT);
    Stream<String> inherited = System.getenv().entrySet().stream().map(variable -> variable.getKey() + "=" + variable.getValue());
    MemorySegment environment = strings(arena, Stream.concat(inherited, Stream.of("_FUSE_COMMFD=" + SOCKET_IN_CHILD)).toList());
    try {
      int result = (int) INIT_ACTIONS.invokeExact(actions);
      // The pipe first: the socket's number in the child may be the pipe's number here.
      result |= (int) ADD_DUP2.invokeExact(actions, errors, ERRORS_IN_CHILD);
      result |= (int) ADD_DUP2.invokeExact(actions, socket, SOCKET_IN_CHILD);
      if (result == 0) {
        result = (int) SPAWN.invokeExact(process, arena.allocateFrom(command.getFirst()), actions, MemorySegment.NULL, strings(arena, command), environment);
      }
      int ignored = (int) DESTROY_ACTIONS.invokeExact(actions);
      require(-result, "posix_spawn(3) of " + command.getFirst());
    } catch (IOException refused) {
      throw refused;
    } catch (Throwable cannotBe) {
      throw new IllegalStateException("posix_spawn(3) could not be called", cannotBe);
    }
    return process.get(ValueLayout.JAVA_INT, 0);
  }

  private static MemorySegment strings(Arena arena, List<String> values) {
    MemorySegment list = arena.allocate(ValueLayout.ADDRESS, values.size() + 1L);
    for (int i = 0; i < values.size(); i++) {
      list.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(values.get(i)));
    }
    return list;
  }

  private static int received(Arena arena, int process, int socket, int errors, Path directory) throws IOException {
    int fd = receiveDescriptor(arena, socket);
    MemorySegment text = arena.allocate(ERROR_BYTES_MAX);
    int length = 0;
    long count = 1;
    while (fd < 0 && count > 0 && length < ERROR_BYTES_MAX) {
      count = LinuxCalls.call(Call.READ, errors, text.address() + length, ERROR_BYTES_MAX - length);
      length += (int) Math.max(count, 0);
      count = count == LinuxCalls.EINTR ? 1 : count;
    }
    MemorySegment status = arena.allocate(8);
    while (LinuxCalls.call(Call.WAIT4, process, status.address(), 0) == LinuxCalls.EINTR) {
      // It is ending.
    }
    if (fd < 0) {
      String said = new String(text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8).strip();
      throw new IOException(PROGRAM + " does not mount at " + directory + ": " + (said.isEmpty() ? "it gave no reason" : said)
          + (said.contains("user_allow_other") ? " (that is for whom other users are to use the mount)" : ""));
    }
    return fd;
  }

  /** Receives a message of one byte with an open file; negative if the other end was closed without one. */
  private static int receiveDescriptor(Arena arena, int socket) {
    MemorySegment memory = arena.allocate(56 + 16 + 32 + 8, 8);
    MemorySegment vector = memory.asSlice(56, 16);
    MemorySegment control = memory.asSlice(72, 32);
    vector.set(ValueLayout.JAVA_LONG, 0, memory.address() + 104);
    vector.set(ValueLayout.JAVA_LONG, 8, 1);
    memory.set(ValueLayout.JAVA_LONG, 16, vector.address());
    memory.set(ValueLayout.JAVA_LONG, 24, 1);
    memory.set(ValueLayout.JAVA_LONG, 32, control.address());
    memory.set(ValueLayout.JAVA_LONG, 40, control.byteSize());
    long count;
    do {
      count = LinuxCalls.call(Call.RECVMSG, socket, memory.address(), 0x40000000); // Child processes must not inherit it.
    } while (count == LinuxCalls.EINTR);
    boolean brings = count > 0 && memory.get(ValueLayout.JAVA_LONG, 40) >= 20 && control.get(ValueLayout.JAVA_INT, 8) == 1
        && control.get(ValueLayout.JAVA_INT, 12) == 1;
    return brings ? control.get(ValueLayout.JAVA_INT, 16) : -1;
  }

  /** Returns null, or the obstacle. */
  static String unmount(Path directory, boolean isLazy) {
    try {
      List<String> command = Stream.of(requireProgram().toString(), "-u", isLazy ? "-z" : "", "--", directory.toString()).filter(part -> !part.isEmpty())
          .toList();
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      boolean isOver = process.waitFor(UNMOUNT_S, TimeUnit.SECONDS);
      if (!isOver) {
        process.destroyForcibly();
        return PROGRAM + " has not ended within " + UNMOUNT_S + " s";
      }
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return process.exitValue() == 0 ? null : said;
    } catch (IOException problem) {
      return problem.getMessage();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
