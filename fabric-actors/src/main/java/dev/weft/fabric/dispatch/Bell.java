package dev.weft.fabric.dispatch;

import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Wakes the sleeping hardware thread of another JVM on the same machine after packets were put into shared memory: the
 * interrupt line of a trunk. A bell is two words of a file that both JVMs map. {@code LISTENING} is 1 while no thread of the
 * owner's JVM polls its trunks; {@code ASLEEP} is 1 while its hardware thread sleeps.
 *
 * <p>No packet is overlooked: the sender publishes and then reads {@code LISTENING}; the owner sets {@code LISTENING} and then
 * polls its trunks once more. Both accesses are sequentially consistent, so one of the two sees the other.
 */
public final class Bell {
  private static final long LISTENING = 0;
  static final long ASLEEP = 64;
  static final long FILE_BYTES = 128;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final Futex futex;

  /** Makes a bell on memory of {@link #FILE_BYTES} that the caller keeps. */
  Bell(MemorySegment memory) {
    this.memory = memory;
    this.futex = new Futex(memory.asSlice(ASLEEP, Integer.BYTES));
  }

  /** Whether this JVM can wake threads of other JVMs: it needs Linux on x86-64 or AArch64, and native access. */
  public static boolean isSupported() {
    return Futex.isSupported();
  }

  /**
   * Makes the bell of this JVM.
   *
   * @param file a file in a directory of shared memory; an existing bell is reset and reused
   * @throws IOException if the file cannot be made
   */
  public static Bell make(Path file) throws IOException {
    try (FileChannel channel = PrivateFile.open(file, StandardOpenOption.WRITE)) {
      // A write, not only a mapping: if the file system is full, this fails now, and not later in the thread that rings.
      channel.write(ByteBuffer.allocate((int) FILE_BYTES), 0);
    }
    Bell bell = new Bell(map(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    bell.set(LISTENING, 0);
    bell.set(ASLEEP, 0);
    return bell;
  }

  /**
   * Opens the bell of another JVM.
   *
   * @throws IOException if that JVM has no bell
   */
  public static Bell of(Path file) throws IOException {
    return new Bell(map(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  private static MemorySegment map(Path file, StandardOpenOption... options) throws IOException {
    if (!isSupported()) {
      throw new IOException("no bells on this machine, or without --enable-native-access");
    }
    try (FileChannel channel = FileChannel.open(file, options)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
    }
  }

  /** Wakes the owner's thread if no thread there polls the trunks. Call it after publishing a packet. Any thread. */
  public void ring() {
    VarHandle.fullFence();
    if (get(LISTENING) == 1 && WORD.compareAndSet(memory, LISTENING, 1, 0)) {
      wake();
    }
  }

  /** Owner: says that no thread polls the trunks from now on. The owner must poll once more after this. */
  void listen() {
    set(LISTENING, 1);
  }

  /** Owner: says that a thread polls the trunks again, so that peers do not ring needlessly. */
  void stopListening() {
    if (get(LISTENING) == 1) {
      set(LISTENING, 0);
    }
  }

  /** Owner's thread: announces its sleep. A later wake-up ends the next {@link #sleep}. */
  void announceSleep() {
    set(ASLEEP, 1);
  }

  /** Owner's thread: sleeps until it is woken, at most {@code maxNs}; not at all if it was woken after {@link #announceSleep}. */
  void sleep(long maxNs) {
    if (get(ASLEEP) == 1) {
      futex.await(1, maxNs);
    }
  }

  /** Owner's thread: says that it is awake again. */
  void awake() {
    set(ASLEEP, 0);
  }

  /** Ends the owner's sleep. Any thread, any process. */
  void wake() {
    if (get(ASLEEP) == 1 && WORD.compareAndSet(memory, ASLEEP, 1, 0)) {
      futex.wake();
    }
  }

  private int get(long word) {
    return (int) WORD.getVolatile(memory, word);
  }

  private void set(long word, int value) {
    WORD.setVolatile(memory, word, value);
  }
}
