package dev.weft.service.process;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.files.ByteText;
import dev.weft.fabric.files.PrivateSocket;
import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Unix socket by which commands change a running fabric. It is in the state directory, to which only the owner has access. A connection carries
 * one {@link RequestLine request}, whose first word is the name of a service, and its answer: a line with the exit code, then lines for the user.
 * {@link Pieces} of data may follow the request or precede the answer.
 */
public final class ControlSocket implements StateKeeper.Kept, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
  private static final Pattern NAME = Pattern.compile("(?:up|member|join)-([0-9]{1,9})\\.sock");
  private static final long LOOK_MS = 1000;
  private static final int ANSWER_LINE_BYTES_MAX = 1 << 26;
  private static final int BUFFER_BYTES = 1 << 16;

  /** Serves a request; throws {@link CommandFailure} with the reason if it fails. */
  @FunctionalInterface
  public interface Handler {
    List<String> answer(List<String> words, Asker asker);
  }

  /** A connection whose request is being served. Any thread. */
  private static final class Connection implements Asker {
    private final SocketChannel client;
    private final InputStream in;
    private volatile Runnable whenGone;
    private volatile boolean isAnswered;
    private boolean sends;

    Connection(SocketChannel client, InputStream in) {
      this.client = client;
      this.in = in;
    }

    @Override
    public ReadableByteChannel input() {
      sends = true;
      return new Pieces.Receiver(in);
    }

    @Override
    public WritableByteChannel output() {
      return new Pieces.Sender(client);
    }

    /** Reads and drops the command's data until it closes the connection, so that a command that is still sending does not lose its answer. */
    void discardInput() throws IOException {
      if (sends) {
        client.shutdownOutput();
        in.transferTo(OutputStream.nullOutputStream());
      }
    }

    /** Reads from the connection to notice its end, because such a command sends nothing after its request. */
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
        in.transferTo(OutputStream.nullOutputStream());
      } catch (IOException gone) {
        LOG.debug("a command closed its connection early: {}", gone.getMessage());
      }
      if (!isAnswered) {
        whenGone.run();
      }
    }
  }

  private static final int BACKLOG = 64;

  private final Path path;
  private ServerSocketChannel channel; // guarded by this
  private boolean isClosed; // guarded by this
  private final Map<String, Handler> handlers;

  private ControlSocket(Path path, Map<String, Handler> handlers) {
    this.path = path;
    this.handlers = Map.copyOf(handlers);
  }

  /** Returns the path of the socket of the {@code weft up} with that process id. */
  public static Path path(StateDirectory states, long pid) {
    return path(states, RunState.Kind.UP, pid);
  }

  /** Returns the path of the socket of a recorded process. */
  public static Path path(StateDirectory states, RunState.Kind kind, long pid) {
    return states.path().resolve(kind.name().toLowerCase(Locale.ROOT) + "-" + pid + ".sock");
  }

  /** Removes the sockets that killed processes have left. */
  public static void removeThoseOfTheDead(StateDirectory states) throws IOException {
    states.removeOfTheDead(NAME);
  }

  /** Opens the socket and listens until it is closed. */
  public static ControlSocket open(Path path, Map<String, Handler> handlers) throws IOException {
    ControlSocket socket = new ControlSocket(path, handlers);
    socket.listen();
    return socket;
  }

  /** Like {@link #open}, for a process without a {@link StateKeeper}: it creates the socket again about a second after somebody removes it. */
  public static ControlSocket openKept(Path path, Map<String, Handler> handlers) throws IOException {
    ControlSocket socket = open(path, handlers);
    Thread.ofVirtual().start(socket::keep);
    return socket;
  }

  private synchronized void listen() throws IOException {
    Files.deleteIfExists(path); // Left by a killed process with the same id.
    ServerSocketChannel fresh;
    try {
      fresh = PrivateSocket.bind(path, BACKLOG);
    } catch (IOException e) {
      throw new CommandFailure("the socket for commands, " + path + ": " + e.getMessage() + "; set WEFT_STATE_DIR to a shorter path", e);
    }
    if (channel != null) {
      channel.close();
    }
    channel = fresh;
    Thread.ofPlatform().daemon().name("weft-control").start(() -> accept(fresh));
  }

  /** Creates the socket again and listens if somebody has removed it. */
  @Override
  public synchronized void restore() throws IOException {
    if (!isClosed && Files.notExists(path)) {
      listen();
    }
  }

  private synchronized boolean isOpen() {
    return !isClosed;
  }

  private void keep() {
    while (isOpen()) {
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        if (Files.notExists(path)) {
          StateDirectory.open(path.getParent());
          restore();
        }
      } catch (IOException | CommandFailure e) {
        LOG.debug("could not recreate {} yet: {}", path, e.toString());
      } catch (InterruptedException e) {
        return; // No code interrupts this thread.
      }
    }
  }

  private void accept(ServerSocketChannel channel) {
    while (channel.isOpen()) {
      try {
        SocketChannel client = channel.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException e) {
        LOG.warn("this fabric accepts no more commands: {}", e.toString());
        return;
      }
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      InputStream in = new BufferedInputStream(Channels.newInputStream(client), BUFFER_BYTES);
      byte[] line = Pieces.lineBytes(in, RequestLine.BYTES_MAX);
      if (line == null) {
        return; // The connection ended within the request line.
      }
      Connection asker = new Connection(client, in);
      String answer = answer(RequestLine.words(line), asker);
      asker.isAnswered = true;
      write(client, answer.getBytes(StandardCharsets.UTF_8));
      asker.discardInput();
    } catch (IOException e) {
      LOG.debug("a command closed its connection early: {}", e.getMessage());
    }
  }

  private String answer(List<String> words, Connection asker) {
    Handler handler = handlers.get(words.getFirst());
    try {
      return handler == null ? "1\nthe fabric does not know the request " + ByteText.printable(words.toString())
          + "; use the same version of Weft as the fabric\n"
          : "0\n" + lines(handler.answer(words.subList(1, words.size()), asker));
    } catch (CommandFailure e) {
      return "1\n" + lines(String.valueOf(e.getMessage()).lines().toList());
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      LOG.error("a command failed: {}", words, e);
      return "1\n" + lines(e.toString().lines().toList());
    }
  }

  private static String lines(List<String> lines) {
    StringBuilder text = new StringBuilder();
    lines.stream().flatMap(line -> Stream.of(line.split("\n", -1))).forEach(line -> text.append(ByteText.printable(line)).append('\n'));
    return text.toString();
  }

  private static void write(SocketChannel to, byte[] text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text);
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  /**
   * Sends a request to a service in the fabric of this user on this host and returns the lines of the answer.
   *
   * @param words any characters; in total less than 32 KiB
   * @throws CommandFailure if no fabric is up, or with the service's reason if the request fails
   */
  public static List<String> askUp(String service, List<String> words) throws IOException {
    return askUp(service, words, null, null);
  }

  /**
   * Like {@link #askUp(String, List)}, with data.
   *
   * @param source the data for {@link Asker#input}; null for none. A separate thread reads it until it ends or the answer arrives
   * @param sink receives what the service writes to {@link Asker#output}; null for none
   */
  public static List<String> askUp(String service, List<String> words, ReadableByteChannel source, WritableByteChannel sink) throws IOException {
    StateDirectory states = StateDirectory.open();
    RunState up = states.up(ConfigFactory.load())
        .orElseThrow(() -> new CommandFailure("no fabric is up (looked in " + states.path() + "); start one with './weft up'"));
    List<String> request = new ArrayList<>(List.of(service));
    request.addAll(words);
    return ask(path(states, up.pid()), request, source, sink);
  }

  /** Sends a request to a socket and returns the lines of the answer; throws {@link CommandFailure} with the reason if the request fails. */
  public static List<String> ask(Path path, List<String> words) throws IOException {
    return ask(path, words, null, null);
  }

  /** Like {@link #ask(Path, List)}, with data as for {@link #askUp(String, List, ReadableByteChannel, WritableByteChannel)}. */
  static List<String> ask(Path path, List<String> words, ReadableByteChannel source, WritableByteChannel sink) throws IOException {
    byte[] request = RequestLine.of(words);
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      write(channel, request);
      Pump pump = source == null ? null : Pump.start(source, channel);
      try {
        return receive(new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES), sink);
      } catch (IOException | CommandFailure ended) {
        if (pump != null && pump.failure() != null) {
          throw pump.failure();
        }
        throw ended;
      }
    }
  }

  private static List<String> receive(InputStream in, WritableByteChannel sink) throws IOException {
    String code = line(in);
    while (code != null && sink != null && Pieces.isPiece(code)) {
      Pieces.move(in, Pieces.lengthOf(code), sink);
      code = line(in);
    }
    if (code == null) {
      throw new CommandFailure("the fabric ended before it answered");
    }
    List<String> lines = lines(in);
    if (!code.equals("0")) {
      throw new CommandFailure(String.join("; ", lines));
    }
    return lines;
  }

  /** Reads to the end of the answer. The kernel reports that end as a reset if the service has not read everything that the command sent. */
  private static List<String> lines(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    try {
      for (String line = line(in); line != null; line = line(in)) {
        lines.add(line);
      }
    } catch (SocketException reset) {
      LOG.debug("the service has not read everything: {}", reset.getMessage());
    }
    return lines;
  }

  private static String line(InputStream in) throws IOException {
    byte[] line = Pieces.lineBytes(in, ANSWER_LINE_BYTES_MAX);
    return line == null ? null : new String(line, StandardCharsets.UTF_8);
  }

  @Override
  public synchronized void close() throws IOException {
    isClosed = true;
    channel.close();
    Files.deleteIfExists(path);
  }
}
