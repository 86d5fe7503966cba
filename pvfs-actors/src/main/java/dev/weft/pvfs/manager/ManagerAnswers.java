package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Answers that wait: first for the commit, then for the daemons' work, then until other clients have dropped the changed inodes from their caches.
 * Bound: the credits of all sessions. One thread.
 */
final class ManagerAnswers {
  private final MetadataHandler handler;
  private final Coordination coordination;
  private final Effects.Listener effects;
  /** Answers that wait for the commit. */
  private final List<ManagerAnswer> answers = new ArrayList<>();
  /** Answers that wait for daemons, by intent. */
  private final Map<Long, ManagerAnswer> held = new HashMap<>();
  /** Answers that wait until other clients have dropped the changed inodes. */
  private final Set<ManagerAnswer> fenced = new HashSet<>();
  private long commits;
  private long repeats;

  ManagerAnswers(MetadataHandler handler, Coordination coordination, Effects.Listener effects) {
    this.handler = handler;
    this.coordination = coordination;
    this.effects = effects;
  }

  void add(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed) {
    add(session, request, reply, changed, null);
  }

  /** Adds an answer; {@code repeated} is the work of a previous manager, null if this one has done it. */
  void add(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed, MetadataHandler.Repeated repeated) {
    repeats += repeated == null ? 0 : 1;
    answers.add(new ManagerAnswer(session, request, reply, changed, repeated, false));
  }

  /**
   * Adds an answer that need not wait for the commit. It must still wait behind an answer that shows the old state of the inode: that client would
   * otherwise cache the old state after this change.
   */
  void addSettled(ManagerSession session, MetaRequest request, MetaReply reply, Set<Long> changed) {
    ManagerAnswer settled = new ManagerAnswer(session, request, reply, changed, null, true);
    if (answers.stream().anyMatch(answer -> answer.shows(request.inode()))) {
      answers.add(settled);
    } else {
      fence(settled, true);
    }
  }

  /** Whether this request arrived before and has no answer yet. */
  boolean isUnderWay(ManagerSession session, MetaRequest request) {
    return Stream.concat(held.values().stream(), fenced.stream()).anyMatch(one -> one.isTo(session, request));
  }

  /** Makes the handled requests durable, and sends the answers that need not wait further. */
  void commit() {
    if (answers.isEmpty() && !handler.isOverdue()) {
      return;
    }
    List<ManagerAnswer> these = List.copyOf(answers);
    answers.clear();
    commits++;
    int errno = handler.commit();
    if (errno != Errno.OK) {
      these.forEach(answer -> {
        if (answer.isOfBefore() || answer.isSettled()) {
          goOn(answer, Map.of());
        } else {
          fail(answer, errno);
        }
      });
      return;
    }
    Map<Long, Long> cut = handler.beginEffects(effects);
    these.forEach(answer -> {
      if (cut == null && answer.cuts()) {
        fail(answer, Errno.EIO); // The cut is stored and will happen: its writer must not be told that it is done.
      } else {
        goOn(answer, cut == null ? Map.of() : cut);
      }
    });
  }

  private void goOn(ManagerAnswer answer, Map<Long, Long> cut) {
    Long intent = answer.heldBy(cut, held.keySet());
    if (intent == null) {
      fence(answer, answer.repeated() == null); // The result of earlier work may be outdated by now.
    } else {
      held.put(intent, answer);
      coordination.revoke(answer.session().id, answer.changed(), () -> { }); // Begins the revocation; its end is awaited later.
    }
  }

  private void fail(ManagerAnswer answer, int errno) {
    boolean isDone = answer.isOfLock() && handler.isHolder(answer.session().id);
    if (answer.isOfLock() && !isDone) {
      coordination.dropLocks(answer.session().id); // A restarted manager would not wait for the session.
    }
    answer.session().answer(isDone ? answer.reply() : MetaReply.failed(answer.reply().id(), errno));
    answer.session().flush();
    coordination.revoke(0, answer.changed(), () -> { }); // The state of the disk is unknown, also to the client that made the change.
  }

  /** Sends the answer when all others have dropped the changed inodes. An answer that waited gives no leases: it may be outdated by now. */
  private void fence(ManagerAnswer answer, boolean isFresh) {
    if (answer.mayRemove() && coordination.isListening(answer.session().id)) {
      answer.changed().stream().filter(handler::isGone).forEach(inode -> coordination.gone(answer.session().id, inode));
    }
    boolean waits = coordination.revoke(answer.session().id, answer.changed(), () -> {
      fenced.remove(answer);
      send(answer);
    });
    if (waits) {
      fenced.add(answer);
    } else {
      send(isFresh ? answer.with(coordination.leased(answer.request(), answer.reply(), answer.session().id)) : answer);
    }
  }

  private static void send(ManagerAnswer answer) {
    answer.session().remember(answer.unleased());
    answer.session().answer(answer.reply());
    answer.session().flush();
  }

  /** Sends an answer that was given before. */
  void repeat(ManagerSession session, MetaRequest request, MetaReply before) {
    send(new ManagerAnswer(session, request, before, Set.of()));
  }

  /** The daemons have done the work. Returns false if that could not be recorded; call it again then. */
  boolean effectDone(long intent) {
    commits++;
    return handler.effectDone(intent, effects) && ended(intent, Errno.OK);
  }

  /** The daemons cannot do the work; the client gets the error. Returns false as in {@link #effectDone}. */
  boolean effectRefused(long intent, int errno, long fileBytes) {
    commits++;
    if (!handler.effectRefused(intent, fileBytes, effects)) {
      return false;
    }
    coordination.revoke(0, handler.takeChanged(), () -> { }); // Clients may have seen the intended length, also the one that asked for it.
    return ended(intent, errno);
  }

  private boolean ended(long intent, int errno) {
    handler.beginEffects(effects);
    ManagerAnswer answer = held.remove(intent);
    if (answer != null) {
      fence(errno == Errno.OK ? answer : answer.with(MetaReply.failed(answer.reply().id(), errno)), false);
    }
    return true;
  }

  /** Commits of the store. */
  long commits() {
    return commits;
  }

  /** Answers to work of previous managers. */
  long repeats() {
    return repeats;
  }

  /** Answers that wait for daemons or for other clients. */
  int waiting() {
    return held.size() + fenced.size();
  }
}
