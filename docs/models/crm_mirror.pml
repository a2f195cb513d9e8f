/* The CRM mirror of one field (rules: registry 4.1 to 4.5, 4.12) as a model for Spin: the e-mail, which logins write.

   Properties: The citizen's declared value is valid until CRM staff make a later change. Echoes of our own writes do not
   replace this value, in any order, even if an echo arrives twice or never. When nothing is in progress, the registry and
   the CRM have the same e-mail. Every declaration reaches the CRM, and every login ends.

   README.md in this folder describes how to read and run the model. */

#ifndef DECLARATIONS
#define DECLARATIONS 2
#endif
#ifndef CHANGES
#define CHANGES 1              /* changes of the e-mail by CRM staff */
#endif
#ifndef LOGINS
#define LOGINS 1
#endif
#ifndef KILLS
#define KILLS 1                /* kills of the worker or of a login, at any step */
#endif
#ifndef LOSSES
#define LOSSES 1               /* events of the CRM that never arrive */
#endif
#ifndef REPETITIONS
#define REPETITIONS 1          /* events that arrive twice */
#endif
#ifndef RECONCILIATIONS
#define RECONCILIATIONS 1      /* while other processes run; one more runs when they are done */
#endif

/* E-mails. */
#define NONE 0
#define OLD 1                  /* the initial value in the CRM */
#define OFFERED 2              /* the identity provider's value at each login */
#define DECLARED 3             /* the first declaration; each further one has the next number */
#define CHANGED 10             /* the first change in the CRM */

#define EVENTS 6               /* the largest possible number; the checker reports an index beyond it */

/* Both sides share one clock. It advances with each write, so no two writes have the same time. */
byte clock = 1;

/* The CRM: the account's e-mail and the time of its last change. The CRM sends one event for each change. */
byte crm_email = OLD;
byte crm_at = 1;
byte event_email[EVENTS];
byte event_at[EVENTS];
byte events = 0;               /* created so far */
bool waiting[EVENTS];          /* created and not delivered yet */
byte undelivered = 0;

/* The mirrored field (registry.register), and the outbox. */
byte email = NONE;
byte at = 0;
bool is_own = false;           /* whether the value is the citizen's, not the CRM's */
byte confirmed = NONE;         /* the newest CRM value that counts as a confirmation of the citizen's value */
byte confirmed_at = 0;
byte pushed = NONE;            /* the last value that was sent, recorded before the call */
short pushed_before = 0;       /* earlier values since the last confirmation, one bit for each value */
bool dirty = false;
byte version = 0;              /* of the dirty value */
bool has_job = false;          /* a waiting or running job exists for the outbox row */
short login_wrote = 0;         /* registry.login_write, one bit for each value */
bool login_writes = false;     /* its `until` is in the future */

/* The observer's state, which no process of the platform has. */
byte last_word = NONE;         /* the citizen's last declaration */
byte said_at = 0;              /* its time; after a confirmed push, the time of that call */
byte changed_at = 0;           /* when CRM staff last changed the e-mail */
byte at_work = 0;              /* running processes that write */
byte kills = 0;
byte losses = 0;
byte repetitions = 0;

#define KEEPS_THE_WORD (last_word == NONE || changed_at > said_at || email == last_word)

inline write_crm(what) {
    clock++;
    crm_email = what;
    crm_at = clock;
    event_email[events] = what;
    event_at[events] = clock;
    waiting[events] = true;
    events++;
    undelivered++
}

/* Set the time of the citizen's value to the start of the call, so that earlier CRM values are too old to win (4.2). */
inline stamp(time) {
#ifndef SENDING_HAS_NO_TIME    /* a mistake: a late event with a value from before the call wins */
    if :: is_own && time > at -> at = time :: else fi
#else
    skip
#endif
}

/* Record that the CRM has the sent value. */
inline confirm_sent() {
#ifdef CONFIRMED_IS_TOO_LATE   /* a mistake, formerly a real bug: a change by staff between call and response is ignored */
    clock++;
    stamp(clock);
#else
    stamp(sent_at);
#endif
    if :: is_own && email == last_word && sent_at > said_at -> said_at = sent_at :: else fi;
    pushed_before = 0;
#ifdef A_LOGIN_IS_FORGOTTEN    /* a mistake: the login's echo arrives while a newer value waits to be sent */
    if :: !login_writes -> login_wrote = 0 :: else fi
#else
    if :: !login_writes && !dirty -> login_wrote = 0 :: else fi
#endif
}

/* Merge one value of the CRM (4.2). */
inline apply(said, when) {
    d_step {
#ifdef ECHOES_TAKE_OVER        /* a mistake, formerly a real bug: the echo of a login's write replaces the citizen's value */
        is_echo = false;
#else
        is_echo = dirty && (said == pushed || ((pushed_before | login_wrote) & (1 << said)));
#endif
        confirms = is_own && (is_echo || said == email);
        is_latest = !is_own || when > confirmed_at;
        if
        :: !is_own && when > at -> email = said; at = when
        :: is_own && when > at && confirms && is_latest -> confirmed = said; confirmed_at = when
        :: is_own && when > at && !confirms ->
            if
            :: is_latest -> email = said; at = when
            :: else -> email = confirmed; at = confirmed_at
            fi;
            is_own = false;
            confirmed = NONE;
            confirmed_at = 0;
            dirty = false
        :: else
        fi;
        is_echo = false;
        confirms = false;
        is_latest = false;
        assert(KEEPS_THE_WORD)
    }
}

proctype Citizen() {
    byte count = 0;
    do
    :: count < DECLARATIONS ->
        atomic {
            clock++;
            email = DECLARED + count;
            at = clock;
            is_own = true;
            confirmed = NONE;
            confirmed_at = 0;
            dirty = true;
            version++;
            last_word = email;
            said_at = clock;
            count++;
#ifndef A_JOB_AFTER_THE_COMMIT
            has_job = true
#endif
        }
#ifdef A_JOB_AFTER_THE_COMMIT  /* a mistake: after a kill in between, no job sends the value */
        if
        :: has_job = true
        :: kills < KILLS -> kills++
        fi
#endif
    :: break
    od;
    atomic { count = 0; at_work-- }
}

proctype People() {
    byte count = 0;
    do
    :: count < CHANGES -> atomic { write_crm(CHANGED + count); changed_at = clock; count++ }
    :: break
    od;
    atomic { count = 0; at_work-- }
}

/* GET /auth/validate (4.4). */
proctype Login() {
    byte count = 0, wanted, seen, sent_at;
    bool own;
    do
    :: count < LOGINS ->
        count++;
        atomic { if :: is_own -> wanted = email :: else -> wanted = OFFERED fi };
        seen = crm_email;
        if
        :: seen == wanted
        :: seen != wanted ->
            atomic {
#ifndef THE_LOGIN_DECIDES_EARLY /* a mistake: the login overwrites a value that was declared and pushed during the login */
                if :: is_own -> wanted = email :: else -> wanted = OFFERED fi;
#endif
                own = is_own && wanted == email;
                clock++;
                sent_at = clock;
                login_wrote = login_wrote | (1 << wanted);
                login_writes = true
            };
            if
            :: kills < KILLS -> kills++; login_writes = false
            :: atomic { write_crm(wanted) };
                if
                :: kills < KILLS -> kills++; login_writes = false
                :: atomic {
                        login_writes = false;
                        if
                        :: own -> confirm_sent()
                        :: else
                        fi
                    }
                fi
            fi
        fi;
        atomic { wanted = NONE; seen = NONE; sent_at = 0; own = false }
    :: break
    od;
    atomic { count = 0; at_work-- }
}

/* The job of the outbox row (4.5). After a kill, another worker takes over the job when the call has ended. */
proctype Worker() {
    byte value, taken, sent_at;
end_wait:
    do
    :: has_job ->
        atomic {
#ifdef A_PUSH_BESIDE_A_LOGIN   /* a mistake: a login that decided earlier writes last */
            true;
#else
            !login_writes;
#endif
            if
            :: dirty && is_own ->
                clock++;
                sent_at = clock;
                value = email;
                taken = version;
#ifndef ONLY_THE_LAST_IS_KNOWN /* a mistake, formerly a real bug: the echo of a killed worker's call replaces the value */
                if :: pushed != NONE && pushed != email -> pushed_before = pushed_before | (1 << pushed) :: else fi;
#endif
                pushed = email
            :: else -> dirty = false; has_job = false; goto end_wait
            fi
        };
        if
        :: kills < KILLS -> kills++
        :: atomic { write_crm(value) };
            if
            :: kills < KILLS -> kills++
            :: atomic {
#ifdef WHAT_IS_NEWER_IS_CLEARED /* a mistake: a value declared during the call is never sent */
                    dirty = false;
#else
                    if :: version == taken -> dirty = false :: else fi;
#endif
                    if :: !dirty -> has_job = false :: else fi;
                    confirm_sent()
                }
            fi
        fi;
        atomic { value = NONE; taken = 0; sent_at = 0 }
    od
}

/* The webhook (4.1). Events arrive in any order, some twice and some never. */
proctype Webhook() {
    byte which;
    bool is_echo, confirms, is_latest;
end_wait:
    do
    :: atomic { undelivered > 0 ->
            if
            :: waiting[0] -> which = 0
            :: waiting[1] -> which = 1
            :: waiting[2] -> which = 2
            :: waiting[3] -> which = 3
            :: waiting[4] -> which = 4
            :: waiting[5] -> which = 5
            fi;
            if
            :: losses < LOSSES -> losses++; waiting[which] = false; undelivered--
            :: repetitions < REPETITIONS -> repetitions++; apply(event_email[which], event_at[which])
            :: waiting[which] = false; undelivered--; apply(event_email[which], event_at[which])
            fi;
            which = 0
        }
    od
}

/* Reconciliation (4.12): read the CRM's value and its time in one step, and merge it in another. */
proctype Reconciler() {
    byte count = 0, said, when;
    bool is_echo, confirms, is_latest;
    do
    :: count < RECONCILIATIONS ->
        atomic { said = crm_email; when = crm_at; count++ };
        atomic { apply(said, when); said = NONE; when = 0 }
    :: break
    od;
    /* One more reconciliation when nothing is in progress. */
    atomic { at_work == 0 && !has_job && undelivered == 0 ->
        count = 0;
        apply(crm_email, crm_at);
        assert(!dirty);
        assert(email == crm_email)
    }
}

init {
    atomic {
        at_work = 3;
        run Citizen();
        run People();
        run Login();
        run Worker();
        run Webhook();
        run Reconciler()
    }
}

ltl every_word_reaches_the_crm { [] (dirty -> <> !dirty) }
ltl every_login_ends { [] (login_writes -> <> !login_writes) }
