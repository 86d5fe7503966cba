package dev.weft.lab.seed002.files;

/** How requests and data travel. */
enum Transport {
  /** Verbs: the paper's PVFS over VAPI. */
  VERBS,
  /** All data in messages, for each of which both processors pay what TCP costs: the paper's PVFS over IBNice. */
  TCP
}
