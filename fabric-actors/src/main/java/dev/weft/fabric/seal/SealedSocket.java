package dev.weft.fabric.seal;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.crypto.SecretKey;

/**
 * Seals the datagrams that one UDP socket sends, and opens those that it receives. A sealed datagram is {@link #OVERHEAD} bytes longer than the
 * plain one:
 *
 * <pre>
 *  sender 8   random number of the sending socket
 *  counter 8  type 2 bits, generation of the key 14 bits, sequence 48 bits
 *  text       AES-256-GCM, then its tag 16; authenticates the header and the receiver's address, too
 * </pre>
 *
 * <p>The key of data belongs to the sender and to an epoch, a random number of the receiving process. So a datagram is useless for another
 * socket and for a process that has restarted. A sender learns the epoch by a HELLO with a random number, which the receiver repeats in its WELCOME.
 * Until then the socket drops its data, except the last datagram, which it sends after the WELCOME; Aeron repeats the rest. A receiver that does not know
 * the sender of data answers STRANGER. The sender then greets again, and also if it has heard nothing for a second. The key changes after {@link
 * #GENERATION_DATAGRAMS} datagrams or an hour.
 *
 * <p>One thread.
 */
public final class SealedSocket {
  /** By how many bytes a sealed datagram is longer. */
  public static final int OVERHEAD = 16 + Aead.TAG;

  /** Datagrams that are sealed with one key. */
  static final long GENERATION_DATAGRAMS = 1L << 30;

  private static final long GENERATION_NS = 3_600_000_000_000L;
  private static final int HEADER = 16;
  private static final int DATAGRAM_MAX = 65_507;
  private static final int TYPE_SHIFT = 62;
  private static final int GENERATION_SHIFT = 48;
  private static final int GENERATION_MAX = (1 << 14) - 1;
  private static final long SEQUENCE_MASK = (1L << GENERATION_SHIFT) - 1;
  private static final int DATA = 0;
  private static final int HELLO = 1;
  private static final int WELCOME = 2;
  private static final int STRANGER = 3;
  /** A process sends at most one STRANGER in this time, so that a flood of datagrams causes no flood of answers. */
  private static final long STRANGER_PAUSE_NS = 1_000_000L;
  private static final long HELLO_PAUSE_NS = 50_000_000L;
  private static final long SILENCE_NS = 1_000_000_000L;
  /** Receivers that are remembered at once; if there are more, the oldest is greeted again. */
  private static final int PATHS_MAX = 1024;
  private static final byte[] NOTHING = new byte[0];

  /** Sends a datagram, from the buffer's position to its limit. */
  @FunctionalInterface
  public interface Wire {
    void send(ByteBuffer datagram, InetSocketAddress to) throws IOException;
  }

  /** What the sockets of one process share. One thread. */
  public static final class Process {
    /** Senders that are remembered. If there are more, all are forgotten, and a new epoch makes their old datagrams useless. */
    private static final int KNOWN_MAX = 4096;

    private final SealKey root;
    private final SecretKey greetings;
    private final SecureRandom random = new SecureRandom();
    private long epoch = random.nextLong();
    private long strangerNs;
    private final Consumer<SealCounter> counts;
    private final LongSupplier clock;
    private final Aead aead = new Aead();
    private final byte[] plain = new byte[DATAGRAM_MAX];
    private final byte[] sealed = new byte[DATAGRAM_MAX];
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(DATAGRAM_MAX);
    private final Map<Long, Known> known = new HashMap<>();

    /**
     * Makes the state of a process.
     *
     * @param counts is told of each event
     * @param clock nanoseconds
     */
    public Process(SealKey root, Consumer<SealCounter> counts, LongSupplier clock) {
      this.root = root;
      this.greetings = root.greetings();
      this.counts = counts;
      this.clock = clock;
      this.strangerNs = clock.getAsLong() - STRANGER_PAUSE_NS;
    }

    private void greeted(long sender) {
      if (!known.containsKey(sender)) {
        if (known.size() >= KNOWN_MAX) {
          known.clear();
          epoch = random.nextLong();
        }
        known.put(sender, new Known(root, sender, epoch));
      }
    }
  }

  private final Process process;
  private long sender;
  private long sequence;
  private int generation;
  private long generationStart;
  private long generationNs;
  private final byte[] shortIv = new byte[12];
  private final byte[] longIv = new byte[HEADER];
  private InetSocketAddress local;
  /** Header of a datagram for this socket, with room for the sender's part. */
  private byte[] arrived = NOTHING;
  private final Map<InetSocketAddress, Path> paths = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Path> eldest) {
      return size() > PATHS_MAX;
    }
  };

  /** Makes the state of one socket. */
  public SealedSocket(Process process) {
    this.process = process;
    beginAsNewSender();
  }

  private void beginAsNewSender() {
    sender = process.random.nextLong();
    sequence = 0;
    generation = 0;
    generationStart = 0;
    generationNs = process.clock.getAsLong();
    paths.clear();
  }

  /** A receiver. */
  private static final class Path {
    final byte[] header;
    long epoch;
    SecretKey key;
    int generation;
    long nonce;
    boolean isGreeting;
    long helloNs;
    long heardNs;
    byte[] waiting;

    Path(InetSocketAddress to, long nowNs) {
      header = header(to);
      helloNs = nowNs - HELLO_PAUSE_NS;
      heardNs = nowNs;
    }
  }

  /** Returns room for the header of a datagram, and the receiver's address. */
  private static byte[] header(InetSocketAddress receiver) {
    byte[] address = receiver.getAddress().getAddress();
    return ByteBuffer.allocate(HEADER + address.length + 2).position(HEADER).put(address).putShort((short) receiver.getPort()).array();
  }

  /**
   * Sends a datagram sealed. Drops it if the receiver is not known yet.
   *
   * @param datagram from its position to its limit, which do not change
   */
  public void send(ByteBuffer datagram, InetSocketAddress to, Wire wire) throws IOException {
    long nowNs = process.clock.getAsLong();
    renewKey(nowNs);
    Path path = paths.computeIfAbsent(to, address -> new Path(address, nowNs));
    if (path.key == null || nowNs - path.heardNs > SILENCE_NS) {
      greet(path, to, nowNs, wire);
    }
    int length = datagram.remaining();
    if (path.key == null) {
      process.counts.accept(SealCounter.EARLY);
      path.waiting = new byte[length];
      datagram.get(datagram.position(), path.waiting);
      return;
    }
    datagram.get(datagram.position(), process.plain, 0, length);
    sendData(path, length, to, wire);
  }

  private void renewKey(long nowNs) {
    if (sequence - generationStart >= GENERATION_DATAGRAMS || nowNs - generationNs > GENERATION_NS) {
      nextGeneration(nowNs);
    }
  }

  private void nextGeneration(long nowNs) {
    if (generation == GENERATION_MAX) {
      beginAsNewSender();
      return;
    }
    generation++;
    generationStart = sequence;
    generationNs = nowNs;
  }

  /** For tests: what the passing of time does. */
  void expireKey() {
    nextGeneration(process.clock.getAsLong());
  }

  private void sendData(Path path, int length, InetSocketAddress to, Wire wire) throws IOException {
    if (path.generation != generation) {
      path.generation = generation;
      path.key = process.root.data(sender, path.epoch, generation);
    }
    long counter = counter(DATA, generation, sequence++);
    ByteBuffer.wrap(shortIv).putLong(4, counter);
    sendSealed(path, path.key, shortIv, counter, length, to, wire);
  }

  private void greet(Path path, InetSocketAddress to, long nowNs, Wire wire) throws IOException {
    if (nowNs - path.helloNs < HELLO_PAUSE_NS) {
      return;
    }
    path.helloNs = nowNs;
    if (!path.isGreeting) { // A late WELCOME to an earlier HELLO of the same number counts, too.
      path.nonce = process.random.nextLong();
      path.isGreeting = true;
    }
    ByteBuffer.wrap(process.plain).putLong(path.nonce);
    sendGreeting(path, HELLO, Long.BYTES, to, wire);
  }

  private void sendGreeting(Path path, int type, int length, InetSocketAddress to, Wire wire) throws IOException {
    long counter = counter(type, 0, sequence++);
    ByteBuffer.wrap(longIv).putLong(0, sender).putLong(8, counter);
    sendSealed(path, process.greetings, longIv, counter, length, to, wire);
  }

  private void sendSealed(Path path, SecretKey key, byte[] iv, long counter, int length, InetSocketAddress to, Wire wire) throws IOException {
    ByteBuffer.wrap(path.header).putLong(0, sender).putLong(8, counter);
    process.aead.seal(key, iv, path.header, process.plain, length, process.sealed, HEADER);
    process.outgoing.clear().put(process.sealed, 0, length + OVERHEAD).flip();
    wire.send(process.outgoing, to);
  }

  private static long counter(int type, int generation, long sequence) {
    return (long) type << TYPE_SHIFT | (long) generation << GENERATION_SHIFT | sequence;
  }

  /**
   * Opens a datagram. Answers greetings itself.
   *
   * @param datagram from 0 to its position
   * @param local address of this socket, which the sender has used
   * @param plain gets the plain datagram from its position on
   * @return whether there is a plain datagram
   */
  public boolean open(ByteBuffer datagram, InetSocketAddress from, InetSocketAddress local, ByteBuffer plain, Wire wire) throws IOException {
    int length = datagram.position();
    if (length < OVERHEAD || length > DATAGRAM_MAX) {
      return reject(SealCounter.MALFORMED);
    }
    byte[] sealed = process.sealed;
    datagram.get(0, sealed, 0, length);
    if (!local.equals(this.local)) {
      this.local = local;
      arrived = header(local);
    }
    System.arraycopy(sealed, 0, arrived, 0, HEADER);
    long other = ByteBuffer.wrap(arrived).getLong(0);
    long counter = ByteBuffer.wrap(arrived).getLong(8);
    if (type(counter) != DATA) {
      openGreeting(other, counter, length, from, wire);
      return false;
    }
    return openData(other, counter, length, from, plain, wire);
  }

  private static int type(long counter) {
    return (int) (counter >>> TYPE_SHIFT);
  }

  private boolean reject(SealCounter why) {
    process.counts.accept(why);
    return false;
  }

  private boolean openData(long other, long counter, int length, InetSocketAddress from, ByteBuffer plain, Wire wire) throws IOException {
    Known known = process.known.get(other);
    int used = (int) (counter >>> GENERATION_SHIFT) & GENERATION_MAX;
    SecretKey key = known == null ? null : known.key(used);
    if (key == null) {
      askToGreet(from, wire);
      return reject(SealCounter.UNKNOWN);
    }
    long number = counter & SEQUENCE_MASK;
    if (!known.window.isNew(number)) {
      return reject(SealCounter.REPLAYED);
    }
    ByteBuffer.wrap(shortIv).putLong(4, counter);
    int opened = process.aead.open(key, shortIv, arrived, process.sealed, HEADER, length - HEADER, process.plain);
    if (opened < 0) {
      return reject(SealCounter.FORGED);
    }
    known.window.add(number);
    known.advance(used, key);
    Path back = paths.get(from);
    if (back != null) {
      back.heardNs = process.clock.getAsLong();
    }
    plain.put(process.plain, 0, opened);
    process.counts.accept(SealCounter.OPENED);
    return true;
  }

  private void askToGreet(InetSocketAddress from, Wire wire) throws IOException {
    long nowNs = process.clock.getAsLong();
    if (nowNs - process.strangerNs >= STRANGER_PAUSE_NS) {
      process.strangerNs = nowNs;
      sendGreeting(new Path(from, nowNs), STRANGER, 0, from, wire);
    }
  }

  private void openGreeting(long other, long counter, int length, InetSocketAddress from, Wire wire) throws IOException {
    ByteBuffer.wrap(longIv).putLong(0, other).putLong(8, counter);
    int opened = process.aead.open(process.greetings, longIv, arrived, process.sealed, HEADER, length - HEADER, process.plain);
    ByteBuffer text = ByteBuffer.wrap(process.plain);
    int type = type(counter);
    if (type == HELLO && opened == Long.BYTES) {
      answer(other, text.getLong(), from, wire);
    } else if (type == WELCOME && opened == 2 * Long.BYTES) {
      onWelcome(text.getLong(), text.getLong(), from, wire);
    } else if (type == STRANGER && opened == 0) {
      onStranger(from, wire);
    } else {
      reject(SealCounter.FORGED);
    }
  }

  /** A recorded one has no other effect than a greeting, of which there is one in 50 ms at most. */
  private void onStranger(InetSocketAddress from, Wire wire) throws IOException {
    Path path = paths.get(from);
    if (path != null) {
      greet(path, from, process.clock.getAsLong(), wire);
    }
  }

  private void answer(long other, long nonce, InetSocketAddress from, Wire wire) throws IOException {
    process.greeted(other);
    ByteBuffer.wrap(process.plain).putLong(nonce).putLong(process.epoch);
    // Not remembered: a replayed greeting with a false address must not fill the list.
    sendGreeting(new Path(from, process.clock.getAsLong()), WELCOME, 2 * Long.BYTES, from, wire);
  }

  private void onWelcome(long nonce, long epoch, InetSocketAddress from, Wire wire) throws IOException {
    Path path = paths.get(from);
    if (path == null || !path.isGreeting || path.nonce != nonce) {
      process.counts.accept(SealCounter.REPLAYED);
      return;
    }
    path.isGreeting = false;
    path.heardNs = process.clock.getAsLong();
    path.epoch = epoch;
    path.generation = generation;
    path.key = process.root.data(sender, epoch, generation);
    if (path.waiting != null) {
      System.arraycopy(path.waiting, 0, process.plain, 0, path.waiting.length);
      sendData(path, path.waiting.length, from, wire);
      path.waiting = null;
    }
  }
}
