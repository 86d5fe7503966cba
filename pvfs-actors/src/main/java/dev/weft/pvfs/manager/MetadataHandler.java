package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Map;
import java.util.Set;

/** What the manager's actor asks for each request. One thread. */
interface MetadataHandler extends AutoCloseable {
  /** The answer, which may be sent after the next {@link #commit} only, unless it {@link #isSettled}. */
  MetaReply handle(MetaRequest request, long session);

  /** Whether the last answer of {@link #handle} stands, whatever becomes of the next commit. */
  boolean isSettled();

  /**
   * The answer to what a manager before has done already.
   *
   * @param reply may be sent after the next {@link #commit} only
   * @param intent what daemons still have to do before; 0 for nothing
   */
  record Repeated(MetaReply reply, long intent) {}

  /** To be asked before {@link #handle}; null for what has to be done. */
  Repeated repeated(MetaRequest request, long session);

  /** Inodes of which something that clients see has changed since the last time. */
  Set<Long> takeChanged();

  /** Of an inode as it is now; null if it is gone. */
  FileAttributes attributes(long inode);

  /** Whether there is none; not where that cannot be known. */
  boolean isGone(long inode);

  /** Whether there is so much to be written for nobody that it has to be. */
  boolean isOverdue();

  /** Makes all that was handled since the last time durable; an errno. If it is not OK, none of it is done. */
  int commit();

  /**
   * Begins what the daemons have to do because of what is durable now, and was not begun before.
   *
   * @return files that are being cut because of what was handled since the last time, by the intents' ids: who asked for that is answered when it is done;
   *     null if the store does not tell: they are begun the next time
   */
  Map<Long, Long> beginEffects(Effects.Listener listener);

  /** The daemons have done it. False if that could not be recorded: then it is to be said again. */
  boolean effectDone(long intent, Effects.Listener listener);

  /** They cannot; the file has so many bytes. False as in {@link #effectDone}. */
  boolean effectRefused(long intent, long fileBytes, Effects.Listener listener);

  /** They could not, a while ago. */
  void effectAgain(long intent, Effects.Listener listener);

  /** A client is gone for good: what it had open is closed. */
  void endSession(long session);

  /** A client comes, or comes back: if an end of its session could not be written, there is none, and it says itself what it has open. */
  void beginSession(long session);

  /** Tries again what {@link #endSession} could not write. */
  void endSessions();

  /** Notes with the next commit that a session may hold locks or remember something, so that a manager that starts again waits for it. */
  void holds(long session);

  /** Whether that is, or will be with the next commit, durable. */
  boolean isHolder(long session);

  /** Sessions of the manager before that may hold locks or remember something, until they have ended. */
  Set<Long> holders();

  /** Whether clients of a manager that was here before may still come back to say what they have open. */
  boolean isRecovering();

  /** Those that will have come back, all of {@code back}; what others had open is closed. False if that could not be written yet. */
  boolean endRecovery(Set<Long> back);

  MetadataState state();

  /** Looks through the metadata, and mends them if asked to; nothing may wait for a commit. */
  Checked check(boolean repairs);

  @Override
  void close();
}
