package dev.weft.service.process;

import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where commands that change a running fabric speak to it: a Unix socket in the state directory, which nobody but its owner enters. A
 * connection carries one request, a line of words with tabs between them, of which the first is the name of a service, and its answer: a
 * line with the exit code, then lines for the person who asked.
 */
public final class ControlSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
  private static final Pattern NAME = Pattern.compile("up-([0-9]{1,9})\\.sock");
  private static final int REQUEST_BYTES_MAX = 4096;

  /** Does what a request says; throws {@link CommandFailure} with the reason why not. */
  @FunctionalInterface
  public interface Handler {
    List<String> answer(List<String> words, Asker asker);
  }

  /** A connection whose request is under way. Any thread. */
  private static final class Connection implements Asker {
    private final SocketChannel client;
    private volatile Runnable whenGone;
    private volatile boolean isAnswered;

    Connection(SocketChannel client) {
      this.client = client;
    }

    /** It has no more to say after its request: what can be read is its end. */
    @Override
    public void whenGone(Runnable action) {
      boolean isWatched = whenGone != null;
      whenGone = action;
      if (!isWatched) {
        Thread.ofVirtual().start(this::watch);
      }
    }

    private void watch() {
      try {
        ByteBuffer rest = ByteBuffer.allocate(REQUEST_BYTES_MAX);
        int had;
        do {
          had = client.read(rest.clear());
        } while (had >= 0);
      } catch (IOException gone) {
        LOG.debug("a command went away: {}", gone.getMessage());
      }
      if (!isAnswered) {
        whenGone.run();
      }
    }
  }

  private final Path path;
  private final ServerSocketChannel channel;
  private final Map<String, Handler> handlers;

  private ControlSocket(Path path, ServerSocketChannel channel, Map<String, Handler> handlers) {
    this.path = path;
    this.channel = channel;
    this.handlers = Map.copyOf(handlers);
  }

  /** The socket of the {@code weft up} with that process id. */
  public static Path path(StateDirectory states, long pid) {
    return states.path().resolve("up-" + pid + ".sock");
  }

  /** A process that was killed leaves its socket. */
  public static void removeThoseOfTheDead(StateDirectory states) throws IOException {
    states.removeOfTheDead(NAME);
  }

  /** Listens until it is closed. */
  public static ControlSocket open(Path path, Map<String, Handler> handlers) throws IOException {
    Files.deleteIfExists(path); // Of a process that had the same id and was killed.
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      channel.close();
      throw new CommandFailure("the socket for commands, " + path + ": " + e.getMessage() + "; set WEFT_STATE_DIR to a shorter path", e);
    }
    ControlSocket socket = new ControlSocket(path, channel, handlers);
    Thread.ofPlatform().daemon().name("weft-control").start(socket::accept);
    return socket;
  }

  private void accept() {
    while (channel.isOpen()) {
      try {
        SocketChannel client = channel.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException e) {
        LOG.warn("no commands are taken any more: {}", e.toString());
        return;
      }
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      List<String> words = read(client);
      Connection asker = new Connection(client);
      Handler handler = words.isEmpty() ? null : handlers.get(words.getFirst());
      String answer;
      try {
        answer = handler == null ? "1\nthe fabric does not know the request " + words + "; is it of another version?"
            : "0\n" + String.join("\n", handler.answer(words.subList(1, words.size()), asker));
      } catch (CommandFailure e) {
        answer = "1\n" + e.getMessage();
      } catch (RuntimeException | LinkageError | StackOverflowError e) {
        LOG.error("a command failed: {}", words, e);
        answer = "1\n" + e;
      }
      asker.isAnswered = true;
      write(client, answer + "\n");
    } catch (IOException e) {
      LOG.debug("a command went away: {}", e.getMessage());
    }
  }

  private static List<String> read(SocketChannel client) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(REQUEST_BYTES_MAX);
    while (bytes.hasRemaining() && client.read(bytes) >= 0) {
      if (bytes.position() > 0 && bytes.get(bytes.position() - 1) == '\n') {
        break;
      }
    }
    String line = StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip();
    return line.isEmpty() ? List.of() : List.of(line.split("\t"));
  }

  private static void write(SocketChannel to, String text) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  /**
   * What the service says to a request, in the fabric of this user on this host.
   *
   * @param words without tabs and ends of lines, in all less than 4 KiB
   * @throws CommandFailure if no fabric is up, or with the service's reason if it refuses
   */
  public static List<String> askUp(String service, List<String> words) throws IOException {
    StateDirectory states = StateDirectory.open();
    RunState up = states.running().stream().filter(state -> state.kind() == RunState.Kind.UP).findFirst()
        .orElseThrow(() -> new CommandFailure("no fabric is up (looked in " + states.path() + "); start one with './weft up'"));
    List<String> request = new ArrayList<>(List.of(service));
    request.addAll(words);
    int bytes = 0;
    for (String word : request) {
      if (word.isEmpty() || word.indexOf('\t') >= 0 || word.indexOf('\n') >= 0) {
        throw new IllegalArgumentException("a word of a request is '" + word + "'; it must have no tab and no end of line, and not be empty");
      }
      bytes += word.getBytes(StandardCharsets.UTF_8).length + 1;
    }
    if (bytes > REQUEST_BYTES_MAX) {
      throw new IllegalArgumentException("a request of " + bytes + " bytes; it may have " + REQUEST_BYTES_MAX);
    }
    return ask(path(states, up.pid()), request);
  }

  /** What the fabric answers; throws {@link CommandFailure} with its reason if it refuses. */
  public static List<String> ask(Path path, List<String> words) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      write(channel, String.join("\t", words) + "\n");
      BufferedReader in = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
      String code = in.readLine();
      List<String> lines = new ArrayList<>(in.lines().toList());
      if (code == null) {
        throw new CommandFailure("the fabric ended before it answered");
      }
      if (!code.equals("0")) {
        throw new CommandFailure(String.join("; ", lines));
      }
      return lines;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(path);
  }
}
